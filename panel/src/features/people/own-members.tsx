import { useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { Section } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { MemberRoleSelect } from './member-role.tsx';
import { PersonName } from './person-name.tsx';
import { roleOption } from './role-field.tsx';

/** The members of an account for its owners, who say what the others may do. */
export function OwnMembers({ accountId }: { accountId: string }) {
  const { person: viewer, operator } = useSession();
  const members = useRead('GET /api/v1/members', { params: { account_id: accountId } });
  return (
    <Section title="Members" hint="An operator invites and removes them">
      <Await query={members}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="soft small">No members yet.</p>
          ) : (
            <DataTable
              caption="Members"
              rows={data}
              rowKey={(person) => person.person_id}
              columns={[
                { name: 'Name', cell: (person) => <PersonName person={person} /> },
                {
                  name: 'Role',
                  cell: (person) =>
                    person.person_id === viewer.person_id && !operator ? (
                      roleOption(person.role).label
                    ) : (
                      <MemberRoleSelect accountId={accountId} person={person} />
                    ),
                },
                { name: 'Since', wideOnly: true, cell: (person) => <RelativeTime at={person.created_at} /> },
              ]}
            />
          )
        }
      </Await>
    </Section>
  );
}
