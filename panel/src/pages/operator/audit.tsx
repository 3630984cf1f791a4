import type { AuditQuery, AuditRow } from '@darkroom/server/panel-contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { readPages } from '../../api/queries.ts';
import { addressOf } from '../../api/send.ts';
import { actionText } from '../../features/operator/action-text.ts';
import { AuditFilters, type Search } from '../../features/operator/audit-filters.tsx';
import { actorText, detailText, detailValue } from '../../features/operator/audit-words.ts';
import { t } from '../../languages/words.ts';
import { paths } from '../../paths.ts';
import { useSearchState } from '../../search-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { DownloadButton, Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { LoadMore } from '../../ui/table/load-more.tsx';
import { RelativeTime } from '../../ui/time.tsx';

export function AuditPage() {
  const [search, change] = useSearchState();
  const query = queryOf(search);
  const filtered = Object.keys(query).length > 0;
  const entries = useInfiniteQuery(readPages('GET /admin/v1/audit', { query: { ...query, limit: '50' } }));
  const rows = entries.data?.pages.flatMap((page) => page.data);
  return (
    <Page
      title="Audit log"
      intro="Every change by operators and members: who, what, when and from where. A link to this page keeps the filters."
      actions={
        <>
          <Download call="GET /admin/v1/audit.csv" query={query}>
            Download CSV
          </Download>
          <Download call="GET /admin/v1/audit.jsonl" query={query}>
            Download JSON Lines
          </Download>
        </>
      }
    >
      <AuditFilters search={search} change={change} filtered={filtered} />
      <Await query={{ ...entries, data: rows }} wait={<TableSkeleton rows={10} />}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={filtered ? 'No entry matches' : 'Nothing has been changed yet'}>
              {filtered
                ? 'Choose other filters above, or clear them.'
                : 'Credits, keys, pauses, invitations and one-time links appear here as they happen.'}
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

function Download(props: {
  call: 'GET /admin/v1/audit.csv' | 'GET /admin/v1/audit.jsonl';
  query: AuditQuery;
  children: string;
}) {
  return (
    <DownloadButton href={addressOf(props.call, { query: props.query })}>{props.children}</DownloadButton>
  );
}

/** Days are local, and the day `to` is included. */
function queryOf({ account_id, person_id, action, address, from, to }: Search): AuditQuery {
  const query = {
    account: account_id,
    person_id,
    action,
    address,
    from: timeOf(`${from}T00:00:00`),
    to: timeOf(`${to}T24:00:00`),
  };
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value));
}

function timeOf(local: string): string | undefined {
  const date = new Date(local);
  return Number.isFinite(date.getTime()) ? date.toISOString() : undefined;
}

function AuditTable({ entries }: { entries: AuditRow[] }) {
  return (
    <DataTable
      caption="Audit log, newest first"
      rows={entries}
      rowKey={(entry) => entry.audit_id}
      columns={[
        { name: t('When'), cell: (entry) => <RelativeTime at={entry.at} /> },
        {
          name: t('Who'),
          cell: (entry) =>
            entry.person ? (
              <Link href={paths.audit({ person_id: entry.person.person_id })}>
                <bdi>{entry.person.name}</bdi>
              </Link>
            ) : (
              <span className="soft">{actorText({ kind: entry.actor_kind, name: entry.actor_name })}</span>
            ),
        },
        {
          name: t('What'),
          cell: (entry) => (
            <>
              <Link href={paths.audit({ action: entry.action })}>{actionText(entry.action)}</Link>
              <div className="narrow-only tiny">
                <Detail entry={entry} />
              </div>
            </>
          ),
        },
        {
          name: t('Account'),
          wideOnly: true,
          cell: (entry) =>
            entry.account && (
              <Link href={paths.audit({ account_id: entry.account.account_id })}>{entry.account.name}</Link>
            ),
        },
        {
          name: t('Address'),
          wideOnly: true,
          cell: (entry) =>
            entry.address && (
              <Link href={paths.audit({ address: entry.address })} className="tiny">
                {entry.address}
              </Link>
            ),
        },
        { name: t('Detail'), wideOnly: true, cell: (entry) => <Detail entry={entry} /> },
      ]}
    />
  );
}

function Detail({ entry }: { entry: AuditRow }) {
  const parts = Object.entries(entry.detail).filter(([, value]) => value !== null && value !== false);
  // Omits the account, which has its own column.
  const subject = entry.subject === entry.account?.account_id ? null : entry.subject;
  return (
    <span style={{ overflowWrap: 'anywhere' }}>
      {parts.map(([name, value], index) => (
        <Fragment key={name}>
          {index > 0 && <span className="soft"> · </span>}
          <span className="soft">{detailText(name)}</span>
          {value !== true && (
            <>
              {' '}
              <bdi>{detailValue(name, value)}</bdi>
            </>
          )}
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
