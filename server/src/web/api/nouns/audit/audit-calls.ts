import Type, { type Static } from 'typebox';
import { listAuditChoices, listAuditEntries } from '../../../../base/audit/audit-store.ts';
import type { Database } from '../../../../base/db/database.ts';
import { readCursor, sizeOf, toPage, writeCursor } from '../../../../base/http/cursor.ts';
import { closed, page, pageQuery } from '../../../../base/http/schemas.ts';
import type { OpaqueIds } from '../../../../base/std/sealing/opaque-ids.ts';
import { csv, jsonLines } from '../../csv.ts';
import { installationCall } from '../../installation-call.ts';
import { streamed } from '../../streamed.ts';
import { auditFilters, readAuditFilter } from './audit-filter.ts';
import { auditPersonSchema, auditSchema, presentAuditEntry } from './audit-json.ts';

export interface AuditDeps {
  database: Database;
  ids: OpaqueIds;
}

const streamedPageSize = 500;

const filters = closed(auditFilters);
const tag = 'System';

export function auditCalls(deps: AuditDeps) {
  const { database, ids } = deps;
  return {
    list: installationCall({
      tag,
      operationId: 'listAuditEntries',
      summary: 'List the audit log, newest first',
      description: 'The actions of people in the panel, the command line and keys, with their addresses.',
      query: pageQuery(auditFilters),
      reply: page('AuditList', auditSchema),
      errors: ['not_found'],
      async handle({ query: { cursor, limit: wanted, ...query } }) {
        const limit = sizeOf(wanted);
        const [before] = readCursor(cursor, ['number']) ?? [];
        const entries = await listAuditEntries(database.reports, {
          ...(await readAuditFilter(database.read, query)),
          ...(before !== undefined && { before }),
          limit: limit + 1,
        });
        const { data, next_cursor } = toPage(entries, limit, ({ id }) => writeCursor([id]));
        return { data: data.map((entry) => presentAuditEntry(ids, entry)), next_cursor };
      },
    }),

    choices: installationCall({
      tag,
      operationId: 'getAuditChoices',
      summary: 'Read the values for filters of the audit log',
      reply: Type.Object(
        {
          people: Type.Array(auditPersonSchema, { description: 'People with recent actions.' }),
          actions: Type.Array(Type.String(), { description: 'The recent actions.' }),
        },
        { title: 'AuditChoices' },
      ),
      async handle() {
        const { people, actions } = await listAuditChoices(database.reports);
        return { people: people.map(({ id, name }) => ({ person_id: id, name })), actions };
      },
    }),

    table: installationCall({
      tag,
      operationId: 'downloadAuditTable',
      summary: 'Download the audit log as a table',
      description: 'CSV of all entries that match, newest first.',
      query: filters,
      replyType: 'text/csv',
      reply: streamed,
      errors: ['not_found'],
      async handle({ query }) {
        const header = ['audit_id', 'at', 'who', 'person_id', 'action', 'account', 'account_id', 'subject'];
        return csv('audit.csv', [...header, 'detail', 'address', 'actor_kind'], cellsOf(rows(deps, query)));
      },
    }),

    lines: installationCall({
      tag,
      operationId: 'downloadAuditLines',
      summary: 'Download the audit log as lines of JSON',
      description: 'All entries that match, newest first, one per line.',
      query: filters,
      replyType: 'application/jsonl',
      reply: streamed,
      errors: ['not_found'],
      handle: async ({ query }) => jsonLines('audit.jsonl', rows(deps, query)),
    }),
  };
}

type Row = ReturnType<typeof presentAuditEntry>;

async function* cellsOf(entries: AsyncIterable<Row>) {
  for await (const row of entries) {
    yield [
      ...[row.audit_id, row.at, row.by, row.person?.person_id ?? null, row.action],
      ...[row.account?.name ?? null, row.account?.account_id ?? null, row.subject],
      ...[JSON.stringify(row.detail), row.address, row.actor_kind],
    ];
  }
}

/** Reads the entries page by page while they are sent, newest first. */
async function* rows({ database, ids }: AuditDeps, query: Static<typeof filters>) {
  const filter = await readAuditFilter(database.read, query);
  for (let before: number | undefined; ; ) {
    const page = { limit: streamedPageSize, ...(before !== undefined && { before }) };
    const entries = await listAuditEntries(database.reports, { ...filter, ...page });
    yield* entries.map((entry) => presentAuditEntry(ids, entry));
    before = entries.at(-1)?.id;
    if (entries.length < streamedPageSize) return;
  }
}
