import type { OperatorRole, OperatorRow, PersonRow } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useRead, useSend } from '../../api/queries.ts';
import { ConfirmEmail } from '../../features/people/confirm-email.tsx';
import { Invite } from '../../features/people/invite.tsx';
import { OpenInvitations } from '../../features/people/open-invitations.tsx';
import { PeopleTable } from '../../features/people/people-table.tsx';
import { PersonLink } from '../../features/people/person-link.tsx';
import { roleOption } from '../../features/people/role-field.tsx';
import { ConfirmButton } from '../../ui/dialog/confirm-button.tsx';
import { Section } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';

export function Operators() {
  const [inviting, setInviting] = useState(false);
  const operators = useRead('GET /panel/operator/operators', {});
  const invite = useSend('POST /panel/operator/operators/invite', ['GET /panel/operator/operators']);
  return (
    <Section
      title="Operators"
      hint="They see every account and run the installation"
      actions={
        <Button variant="default" size="xs" onClick={() => setInviting(true)}>
          Invite an operator
        </Button>
      }
    >
      <Await query={operators}>
        {({ data, invitations }) => (
          <>
            <PeopleTable
              caption="Operators"
              people={data}
              role={({ role }) => roleOption(role).label}
              actions={(person) => (
                <>
                  <ConfirmEmail person={person} />
                  <PersonLink person={person} />
                  <Remove person={person} last={isLastAdmin(person, data)} />
                </>
              )}
            />
            <OpenInvitations invitations={invitations} accountId={null} />
          </>
        )}
      </Await>
      <Invite
        title="Invite an operator"
        opened={inviting}
        onClose={() => setInviting(false)}
        roles={operatorRoles}
        preset="admin"
        make={(body) => invite.mutateAsync({ body })}
      />
    </Section>
  );
}

const operatorRoles: readonly OperatorRole[] = ['admin', 'support'];

function isLastAdmin({ role }: OperatorRow, all: readonly OperatorRow[]): boolean {
  return role === 'admin' && all.filter((one) => one.role === 'admin').length === 1;
}

function Remove({ person, last }: { person: PersonRow; last: boolean }) {
  const remove = useSend('POST /panel/operator/operators/:person_id/remove', [
    'GET /panel/operator/operators',
    'GET /panel/session',
  ]);
  return (
    <ConfirmButton
      label="Remove"
      name={`Remove ${person.name}`}
      why={last ? 'The last admin cannot be removed. Invite another one first.' : undefined}
      title={`Remove ${person.name}?`}
      action="Remove operator"
      sending={remove}
      onConfirm={() => remove.mutate({ params: { person_id: person.person_id } })}
    >
      {person.name} no longer runs the installation, at once. Invitations and links that they made end;
      accounts that they are a member of stay open to them.
    </ConfirmButton>
  );
}
