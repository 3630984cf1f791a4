import type { InvitationRow } from '@darkroom/server/panel-contract';
import { useSend } from '../../api/queries.ts';
import { ConfirmButton } from '../../ui/dialog/confirm-button.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { RelativeTime } from '../../ui/time.tsx';

/** Invitation links that have not been opened yet. */
export function OpenInvitations({ invitations }: { invitations: InvitationRow[] }) {
  if (invitations.length === 0) return null;
  return (
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
          cell: (invitation) => <Revoke invitation={invitation} />,
        },
      ]}
    />
  );
}

function Revoke({ invitation }: { invitation: InvitationRow }) {
  const revoke = useSend('POST /panel/operator/invitations/:invitation_id/revoke', [
    'GET /panel/operator/operators',
    'GET /panel/operator/accounts/:account_id',
  ]);
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
