import type { PersonRow } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useRead, useSend } from '../../api/queries.ts';
import { ConfirmEmail } from '../../features/people/confirm-email.tsx';
import { Email } from '../../features/people/email.tsx';
import { Invite } from '../../features/people/invite.tsx';
import { OpenInvitations } from '../../features/people/open-invitations.tsx';
import { PersonLink } from '../../features/people/person-link.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { Confirm } from '../../ui/dialog/confirm.tsx';
import { Section } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { RelativeTime } from '../../ui/time.tsx';

/** The people who run the installation. */
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
            <DataTable
              caption="Operators"
              rows={data}
              rowKey={(person) => person.person_id}
              columns={[
                { name: 'Name', cell: (person) => person.name },
                { name: 'E-mail', cell: (person) => <Email person={person} /> },
                { name: 'Since', wideOnly: true, cell: (person) => <RelativeTime at={person.created_at} /> },
                {
                  name: 'Actions',
                  quiet: true,
                  align: 'end',
                  cell: (person) => (
                    <span className="row" style={{ justifyContent: 'flex-end' }}>
                      <ConfirmEmail person={person} />
                      <PersonLink person={person} />
                      <Remove person={person} last={data.length === 1} />
                    </span>
                  ),
                },
              ]}
            />
            <OpenInvitations invitations={invitations} />
          </>
        )}
      </Await>
      <Invite
        title="Invite an operator"
        opened={inviting}
        onClose={() => setInviting(false)}
        make={(note) => invite.mutateAsync({ body: note ? { note } : {} })}
      />
    </Section>
  );
}

function Remove({ person, last }: { person: PersonRow; last: boolean }) {
  const [asking, setAsking] = useState(false);
  const remove = useSend('POST /panel/operator/operators/:person_id/remove', [
    'GET /panel/operator/operators',
    'GET /panel/session',
  ]);
  return (
    <>
      <ActionButton
        size="compact-sm"
        variant="default"
        aria-label={`Remove ${person.name}`}
        why={last ? 'The last operator cannot be removed. Invite another one first.' : undefined}
        onClick={() => setAsking(true)}
      >
        Remove
      </ActionButton>
      <Confirm
        title={`Remove ${person.name}?`}
        opened={asking}
        onClose={() => setAsking(false)}
        action="Remove operator"
        error={remove.error}
        pending={remove.isPending}
        onConfirm={() => remove.mutate({ params: { person_id: person.person_id } })}
      >
        {person.name} no longer runs the installation, at once. Invitations and links that they made end;
        accounts that they are a member of stay open to them.
      </Confirm>
    </>
  );
}
