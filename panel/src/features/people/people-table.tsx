import type { PersonRow } from '@darkroom/server/panel-contract';
import type { ReactNode } from 'react';
import { t } from '../../languages/words.ts';
import { DataTable } from '../../ui/table/data-table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { PersonName } from './person-name.tsx';

export function PeopleTable<Row extends PersonRow>(props: {
  caption: string;
  people: Row[];
  role: (person: Row) => ReactNode;
  actions: (person: Row) => ReactNode;
}) {
  return (
    <DataTable
      caption={props.caption}
      rows={props.people}
      rowKey={(person) => person.person_id}
      columns={[
        { name: t('Name'), cell: (person) => <PersonName person={person} /> },
        { name: t('Role'), cell: props.role },
        { name: t('Since'), wideOnly: true, cell: (person) => <RelativeTime at={person.created_at} /> },
        {
          name: t('Actions'),
          quiet: true,
          align: 'end',
          cell: (person) => (
            <span className="row" style={{ justifyContent: 'flex-end' }}>
              {props.actions(person)}
            </span>
          ),
        },
      ]}
    />
  );
}
