import type { MemberRow } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { type ReadCall, useRead, useSend } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { ConfirmButton } from '../../ui/dialog/confirm-button.tsx';
import { Section } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { Invite } from './invite.tsx';
import { MemberRoleSelect, memberRoles } from './member-role.tsx';
import { OpenInvitations } from './open-invitations.tsx';
import { PersonName } from './person-name.tsx';
import { roleOption } from './role-field.tsx';

const outdated: ReadCall[] = ['GET /api/v1/members', 'GET /panel/session'];

/** The members of an account for its owners, who say who comes and goes, and what the others may do. */
export function OwnMembers({ accountId }: { accountId: string }) {
  const params = { account_id: accountId };
  const [inviting, setInviting] = useState(false);
  const members = useRead('GET /api/v1/members', { params });
  const invitations = useRead('GET /api/v1/invitations', { params });
  const invite = useSend('POST /api/v1/invitations', ['GET /api/v1/invitations']);
  return (
    <Section
      title="Members"
      actions={
        <Button variant="default" size="xs" onClick={() => setInviting(true)}>
          Invite a member
        </Button>
      }
    >
      <Await query={members}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="soft small">No members yet.</p>
          ) : (
            <MemberTable accountId={accountId} members={data} />
          )
        }
      </Await>
      <Await query={invitations}>
        {({ data }) => <OpenInvitations invitations={data} accountId={accountId} />}
      </Await>
      <Invite
        title="Invite a member"
        opened={inviting}
        onClose={() => setInviting(false)}
        roles={memberRoles}
        preset="developer"
        make={(body) => invite.mutateAsync({ params, body })}
      />
    </Section>
  );
}

function MemberTable({ accountId, members }: { accountId: string; members: MemberRow[] }) {
  const { person: viewer, operator } = useSession();
  const isSelf = (member: MemberRow) => member.person_id === viewer.person_id;
  const isOwner = members.some((member) => isSelf(member) && member.role === 'owner');
  return (
    <DataTable
      caption="Members"
      rows={members}
      rowKey={(member) => member.person_id}
      columns={[
        { name: 'Name', cell: (member) => <PersonName person={member} /> },
        {
          name: 'Role',
          cell: (member) =>
            isSelf(member) && !operator ? (
              roleOption(member.role).label
            ) : (
              <MemberRoleSelect accountId={accountId} person={member} />
            ),
        },
        { name: 'Since', wideOnly: true, cell: (member) => <RelativeTime at={member.created_at} /> },
        {
          name: 'Actions',
          quiet: true,
          align: 'end',
          cell: (member) => (
            <span className="row" style={{ justifyContent: 'flex-end' }}>
              {isOwner && !isSelf(member) && <HandOver accountId={accountId} member={member} />}
              {(operator || !isSelf(member)) && <Remove accountId={accountId} member={member} />}
            </span>
          ),
        },
      ]}
    />
  );
}

interface Of {
  accountId: string;
  member: MemberRow;
}

function HandOver({ accountId: account_id, member: { person_id, name } }: Of) {
  const transfer = useSend('POST /api/v1/members/:person_id/transfer', outdated);
  return (
    <ConfirmButton
      label="Hand over"
      name={`Hand over to ${name}`}
      title={`Hand the account over to ${name}?`}
      action="Hand over"
      sending={transfer}
      onConfirm={() => transfer.mutate({ params: { account_id, person_id } })}
    >
      {name} becomes its owner and you become a developer. Only they can give it back.
    </ConfirmButton>
  );
}

function Remove({ accountId: account_id, member: { person_id, name } }: Of) {
  const remove = useSend('DELETE /api/v1/members/:person_id', outdated);
  return (
    <ConfirmButton
      label="Remove"
      name={`Remove ${name}`}
      title={`Remove ${name}?`}
      action="Remove member"
      sending={remove}
      onConfirm={() => remove.mutate({ params: { account_id, person_id } })}
    >
      {name} can no longer open this account. Keys they made stay as they are.
    </ConfirmButton>
  );
}
