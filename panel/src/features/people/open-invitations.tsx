import type { Invitation, InvitationRow } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { type ReadCall, useSend } from '../../api/queries.ts';
import { ConfirmButton } from '../../ui/dialog/confirm-button.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { OneTimeLink } from './one-time-link.tsx';

const outdated: ReadCall[] = ['GET /panel/operator/operators', 'GET /admin/v1/accounts/:account/invitations'];

/** Invitation links that have not been opened yet. */
export function OpenInvitations({ invitations }: { invitations: InvitationRow[] }) {
  // Kept here: the row of the old link goes as soon as there is a new one.
  const [link, setLink] = useState<Invitation>();
  if (invitations.length === 0) return null;
  return (
    <>
      <DataTable
        caption="Open invitations"
        rows={invitations}
        rowKey={(invitation) => invitation.invitation_id}
        columns={[
          { name: 'Invitation', cell: (invitation) => invitation.note ?? 'without a note' },
          { name: 'By', cell: (invitation) => invitation.made_by ?? 'the command line' },
          {
            name: 'Made',
            wideOnly: true,
            cell: (invitation) => <RelativeTime at={invitation.created_at} />,
          },
          {
            name: 'Expires',
            wideOnly: true,
            cell: (invitation) => <RelativeTime at={invitation.expires_at} />,
          },
          {
            name: 'Actions',
            quiet: true,
            align: 'end',
            cell: (invitation) => (
              <span className="row" style={{ justifyContent: 'flex-end', gap: 6 }}>
                <Renew invitation={invitation} onRenewed={setLink} />
                <Revoke invitation={invitation} />
              </span>
            ),
          },
        ]}
      />
      <Dialog title="A new link" opened={link !== undefined} onClose={() => setLink(undefined)} keep>
        {link && <OneTimeLink invitation={link} onDone={() => setLink(undefined)} />}
      </Dialog>
    </>
  );
}

/** For a link that got lost or is about to expire. */
function Renew(props: { invitation: InvitationRow; onRenewed: (link: Invitation) => void }) {
  const { invitation_id, note } = props.invitation;
  const renew = useSend('POST /panel/operator/invitations/:invitation_id/renew', outdated);
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`New link, ${note ?? 'without a note'}`}
        title="The old link opens nothing any more"
        loading={renew.isPending}
        onClick={() => renew.mutate({ params: { invitation_id } }, { onSuccess: props.onRenewed })}
      >
        New link
      </Button>
      <ProblemAlert error={renew.error} />
    </>
  );
}

function Revoke({ invitation }: { invitation: InvitationRow }) {
  const revoke = useSend('POST /panel/operator/invitations/:invitation_id/revoke', outdated);
  return (
    <ConfirmButton
      label="Revoke"
      name={`Revoke ${invitation.note ?? 'the invitation'}`}
      title="Revoke this invitation?"
      action="Revoke invitation"
      sending={revoke}
      onConfirm={() => revoke.mutate({ params: { invitation_id: invitation.invitation_id } })}
    >
      Its link opens nothing any more. You can make another one.
    </ConfirmButton>
  );
}
