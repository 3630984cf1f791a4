import type { MemberRow } from '@darkroom/server/panel-contract';
import { type ReactNode, useState } from 'react';
import { useRead, useSend } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Section } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { Invite } from './invite.tsx';
import { MemberRoleSelect, memberRoles } from './member-role.tsx';
import { OpenInvitations } from './open-invitations.tsx';
import { PeopleTable } from './people-table.tsx';

export function Members(props: {
  accountId: string;
  /** Why invitations are disabled; undefined if they are enabled. */
  why?: string | undefined;
  /** Shows a member's role; by default, as a field that changes the role. */
  role?: (person: MemberRow) => ReactNode;
  actions: (person: MemberRow, all: readonly MemberRow[]) => ReactNode;
}) {
  const { accountId } = props;
  const params = { account_id: accountId };
  const mayAll = useSession().rights.includes('operate');
  const [inviting, setInviting] = useState(false);
  const members = useRead('GET /api/v1/members', { params });
  const invitations = useRead('GET /api/v1/invitations', { params });
  const invite = useSend('POST /api/v1/invitations', ['GET /api/v1/invitations']);
  const choice = (person: MemberRow) => <MemberRoleSelect accountId={accountId} person={person} />;
  return (
    <Section
      title="Members"
      actions={
        <ActionButton variant="default" size="xs" why={props.why} onClick={() => setInviting(true)}>
          Invite a member
        </ActionButton>
      }
    >
      <Await query={members}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="soft small">
              No members yet. Members sign in to make images, keys and webhooks for this account.
            </p>
          ) : (
            <PeopleTable
              caption="Members"
              people={data}
              role={props.role ?? choice}
              actions={(person) => props.actions(person, data)}
            />
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
        guarded={mayAll ? undefined : 'owner'}
        make={(body) => invite.mutateAsync({ params, body })}
      />
    </Section>
  );
}
