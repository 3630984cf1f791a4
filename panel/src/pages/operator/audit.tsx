import type { AuditRow } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { readPages } from '../../api/queries.ts';
import { useSearchState } from '../../api/search-state.ts';
import { paths } from '../../paths.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { LoadMore } from '../../ui/table/load-more.tsx';
import { RelativeTime } from '../../ui/time.tsx';

export function AuditPage() {
  const [{ account_id, person_id, action }, change] = useSearchState();
  const query = {
    ...(account_id && { account_id }),
    ...(person_id && { person_id }),
    ...(action && { action }),
  };
  const filtered = Object.keys(query).length > 0;
  const entries = useInfiniteQuery(readPages('GET /panel/operator/audit', { query }));
  const rows = entries.data?.pages.flatMap((page) => page.data);
  return (
    <Page
      title="Audit log"
      intro="Every change that operators and members make: who, what and when."
      actions={
        filtered && (
          <Button
            variant="default"
            onClick={() => change({ account_id: undefined, person_id: undefined, action: undefined })}
          >
            Show everything
          </Button>
        )
      }
    >
      <Await query={{ ...entries, data: rows }} wait={<TableSkeleton rows={12} />}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={filtered ? 'No entries match' : 'No changes yet'}>
              Credits, keys, pauses, invitations and one-time links appear here as they happen.
            </EmptyState>
          ) : (
            <>
              <AuditTable entries={list} />
              <LoadMore query={entries} />
            </>
          )
        }
      </Await>
    </Page>
  );
}

function AuditTable({ entries }: { entries: AuditRow[] }) {
  return (
    <DataTable
      caption="Audit log, newest first"
      rows={entries}
      rowKey={(entry) => entry.audit_id}
      columns={[
        { name: 'When', cell: (entry) => <RelativeTime at={entry.at} /> },
        {
          name: 'Who',
          cell: (entry) =>
            entry.person ? (
              <Link href={paths.audit({ person_id: entry.person.person_id })}>{entry.person.name}</Link>
            ) : (
              <span className="soft">{entry.actor}</span>
            ),
        },
        {
          name: 'What',
          cell: (entry) => (
            <>
              <Link href={paths.audit({ action: entry.action })}>
                <code>{entry.action}</code>
              </Link>
              <div className="narrow-only tiny">
                <Detail entry={entry} />
              </div>
            </>
          ),
        },
        {
          name: 'Account',
          wideOnly: true,
          cell: (entry) =>
            entry.account && (
              <Link href={paths.audit({ account_id: entry.account.account_id })}>{entry.account.name}</Link>
            ),
        },
        {
          name: 'Address',
          wideOnly: true,
          cell: (entry) => <span className="soft tiny">{entry.address}</span>,
        },
        { name: 'Detail', wideOnly: true, cell: (entry) => <Detail entry={entry} /> },
      ]}
    />
  );
}

function Detail({ entry }: { entry: AuditRow }) {
  const parts = Object.entries(entry.detail).filter(([, value]) => value !== null && value !== false);
  // The account has a column of its own.
  const subject = entry.subject === entry.account?.account_id ? null : entry.subject;
  return (
    <span style={{ overflowWrap: 'anywhere' }}>
      {parts.map(([name, value], index) => (
        <Fragment key={name}>
          {index > 0 && <span className="soft"> · </span>}
          <span className="soft">{name.replaceAll('_', ' ')}</span>
          {value !== true && ` ${value}`}
        </Fragment>
      ))}
      {subject && (
        <>
          {parts.length > 0 && <span className="soft"> · </span>}
          <code className="tiny soft">{subject}</code>
        </>
      )}
    </span>
  );
}
