import { Button } from '@mantine/core';
import { useState } from 'react';
import { useRead, useSend } from '../api/queries.ts';
import { Invite } from '../forms/invite.tsx';
import { PersonLink } from '../forms/person-link.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Section } from '../ui/page.tsx';
import { Await } from '../ui/problem-alert.tsx';
import { RelativeTime } from '../ui/time.tsx';

/** The people who run the installation. */
export function Operators() {
  const [inviting, setInviting] = useState(false);
  const operators = useRead('GET /panel/operator/operators', {});
  const invite = useSend('POST /panel/operator/operators/invite');
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
        {({ data }) => (
          <DataTable
            caption="Operators"
            rows={data}
            rowKey={(person) => person.person_id}
            columns={[
              { name: 'Name', cell: (person) => person.name },
              { name: 'E-mail', cell: (person) => person.email ?? <span className="soft">not set</span> },
              { name: 'Since', wideOnly: true, cell: (person) => <RelativeTime at={person.created_at} /> },
              {
                name: 'Actions',
                quiet: true,
                align: 'end',
                cell: (person) => <PersonLink person={person} />,
              },
            ]}
          />
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
