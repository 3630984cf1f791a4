import { csv, jsonLines } from '../../api/csv.ts';
import { auditFilters, readAuditFilter } from '../../api/nouns/audit/audit-filter.ts';
import { presentAuditEntry } from '../../api/nouns/audit/audit-json.ts';
import { listAuditChoices, listAuditEntries } from '../../audit/audit-store.ts';
import { closed } from '../../http/schemas.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import type { AuditQuery } from './contract.ts';

/** Of a download. */
const streamedPageSize = 500;

/** What the audit log can be filtered by, and all of it as a table or as lines of JSON. */
export function auditCalls(deps: PanelDeps): PanelCall[] {
  const { database } = deps;
  return [
    panelCall('GET /panel/operator/audit/choices', {
      async handle() {
        const { people, actions } = await listAuditChoices(database.reports);
        return { people: people.map(({ id, name }) => ({ person_id: id, name })), actions };
      },
    }),

    panelCall('GET /panel/operator/audit.csv', {
      query: closed(auditFilters),
      async handle({ query }) {
        const header = ['audit_id', 'at', 'who', 'person_id', 'action', 'account', 'account_id', 'subject'];
        return csv('audit.csv', [...header, 'detail', 'address'], tableRows(deps, query));
      },
    }),

    panelCall('GET /panel/operator/audit.jsonl', {
      query: closed(auditFilters),
      async handle({ query }) {
        return jsonLines('audit.jsonl', rows(deps, query));
      },
    }),
  ];
}

async function* tableRows(deps: PanelDeps, query: AuditQuery) {
  for await (const row of rows(deps, query)) {
    yield [
      ...[row.audit_id, row.at, row.by, row.person?.person_id ?? null, row.action],
      ...[row.account?.name ?? null, row.account?.account_id ?? null, row.subject],
      ...[JSON.stringify(row.detail), row.address],
    ];
  }
}

/** All that match, newest first, read page by page as they are sent. */
async function* rows({ database, ids }: PanelDeps, query: AuditQuery) {
  const filter = await readAuditFilter(database.read, query);
  for (let before: number | undefined; ; ) {
    const page = { limit: streamedPageSize, ...(before !== undefined && { before }) };
    const entries = await listAuditEntries(database.reports, { ...filter, ...page });
    yield* entries.map((entry) => presentAuditEntry(ids, entry));
    before = entries.at(-1)?.id;
    if (entries.length < streamedPageSize) return;
  }
}
