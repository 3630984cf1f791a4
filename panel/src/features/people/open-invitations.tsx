import type { Invitation, InvitationRow } from '@darkroom/server/panel-contract';
import { useState } from 'react';
import { type ReadCall, useSend } from '../../api/queries.ts';
import { send } from '../../api/send.ts';
import { useSession } from '../../api/session.ts';
import { t } from '../../languages/words.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { ConfirmButton } from '../../ui/dialog/confirm-button.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { OneTimeLink } from './one-time-link.tsx';
import { roleOption } from './role-field.tsx';

const outdated: ReadCall[] = ['GET /panel/operator/operators', 'GET /api/v1/invitations'];

export function OpenInvitations({
  invitations,
  accountId,
}: {
  invitations: InvitationRow[];
  accountId: string | null;
}) {
  // The link is kept here in the list, because creating a new link removes the row of the old one.
  const [link, setLink] = useState<Invitation>();
  if (invitations.length === 0) return null;
  return (
    <>
      <DataTable
        caption="Open invitations"
        rows={invitations}
        rowKey={(invitation) => invitation.invitation_id}
        columns={[
          { name: t('Invitation'), cell: (invitation) => invitation.note ?? t('without a note') },
          { name: t('Role'), cell: (invitation) => roleOption(invitation.role).label },
          {
            name: t('By'),
            wideOnly: true,
            cell: (invitation) => invitation.made_by ?? t('Command line or key'),
          },
          {
            name: t('Made'),
            wideOnly: true,
            cell: (invitation) => <RelativeTime at={invitation.created_at} />,
          },
          {
            name: t('Expires'),
            wideOnly: true,
            cell: (invitation) => <RelativeTime at={invitation.expires_at} />,
          },
          {
            name: t('Actions'),
            quiet: true,
            align: 'end',
            cell: (invitation) => (
              <span className="row" style={{ justifyContent: 'flex-end', gap: 6 }}>
                <Renew invitation={invitation} accountId={accountId} onRenewed={setLink} />
                <Revoke invitation={invitation} accountId={accountId} />
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

/** Replaces a link that was lost or is about to expire. */
function Renew(props: {
  invitation: InvitationRow;
  accountId: string | null;
  onRenewed: (link: Invitation) => void;
}) {
  const { invitation, accountId } = props;
  const { invitation_id, note, role } = invitation;
  const mayAll = useSession().rights.includes('operate');
  const renew = useSend('POST /api/v1/invitations/:invitation_id/renew', outdated, (input) =>
    accountId === null
      ? send('POST /panel/operator/invitations/:invitation_id/renew', input)
      : send('POST /api/v1/invitations/:invitation_id/renew', input),
  );
  return (
    <>
      <ActionButton
        size="compact-sm"
        variant="default"
        aria-label={note === null ? 'New link, without a note' : `New link, ${note}`}
        title="The old link no longer works"
        why={
          role === 'owner' && !mayAll
            ? 'An owner is invited with your password. Revoke this invitation and make another.'
            : undefined
        }
        loading={renew.isPending}
        onClick={() =>
          renew.mutate(
            { params: { invitation_id, account_id: accountId ?? '' } },
            { onSuccess: props.onRenewed },
          )
        }
      >
        New link
      </ActionButton>
      <ProblemAlert error={renew.error} />
    </>
  );
}

function Revoke({ invitation, accountId }: { invitation: InvitationRow; accountId: string | null }) {
  const { invitation_id } = invitation;
  const revoke = useSend('DELETE /api/v1/invitations/:invitation_id', outdated, (input) =>
    accountId === null
      ? send('POST /panel/operator/invitations/:invitation_id/revoke', input)
      : send('DELETE /api/v1/invitations/:invitation_id', input),
  );
  return (
    <ConfirmButton
      label="Revoke"
      name={invitation.note === null ? 'Revoke the invitation' : `Revoke ${invitation.note}`}
      title="Revoke this invitation?"
      action="Revoke invitation"
      sending={revoke}
      onConfirm={() => revoke.mutate({ params: { invitation_id, account_id: accountId ?? '' } })}
    >
      Its link no longer works. You can make another.
    </ConfirmButton>
  );
}
