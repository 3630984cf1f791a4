import Type from 'typebox';
import { assertKnownAudit } from '../../accounts/assert-known-audit.ts';
import {
  type AuditFilter,
  listAuditChoices,
  listAuditEntries,
  type WrittenAuditEntry,
} from '../../audit/audit-store.ts';
import { hideNumbers } from '../../audit/hide-numbers.ts';
import { AppError } from '../../errors.ts';
import { readCursor, toPage, writeCursor } from '../../http/cursor.ts';
import { closed, pageLimit } from '../../http/schemas.ts';
import { toIso } from '../../std/iso-time.ts';
import type { OpaqueIds } from '../../std/sealing/opaque-ids.ts';
import { csv, jsonLines } from '../csv.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import type { AuditQuery, AuditRow } from './contract.ts';

const defaultPageSize = 50;
/** Of a download. */
const streamedPageSize = 500;

const text = Type.Optional(Type.String({ maxLength: 50 }));
const filters = {
  account_id: text,
  person_id: text,
  action: text,
  address: text,
  from: text,
  to: text,
};

/** The audit log: a page of it, what it can be filtered by, and all of it as a table or as lines of JSON. */
export function auditCalls(deps: PanelDeps): PanelCall[] {
  const { database } = deps;
  return [
    panelCall('GET /panel/operator/audit', {
      query: closed({
        ...filters,
        cursor: Type.Optional(Type.String({ maxLength: 100 })),
        limit: pageLimit(defaultPageSize),
      }),
      async handle({ query: { cursor, limit: wanted, ...query } }) {
        const filter = await readFilter(deps, query);
        const limit = Number(wanted ?? defaultPageSize);
        const [before] = readCursor(cursor, ['number']) ?? [];
        const page = { limit: limit + 1, ...(before !== undefined && { before }) };
        const entries = await listAuditEntries(database.reports, { ...filter, ...page });
        const { data, next_cursor } = toPage(entries, limit, ({ id }) => writeCursor([id]));
        return { data: data.map((entry) => present(deps.ids, entry)), next_cursor };
      },
    }),

    panelCall('GET /panel/operator/audit/choices', {
      async handle() {
        const { people, actions } = await listAuditChoices(database.reports);
        return { people: people.map(({ id, name }) => ({ person_id: id, name })), actions };
      },
    }),

    panelCall('GET /panel/operator/audit.csv', {
      query: closed(filters),
      async handle({ query }) {
        const header = ['audit_id', 'at', 'who', 'person_id', 'action', 'account', 'account_id', 'subject'];
        return csv('audit.csv', [...header, 'detail', 'address'], tableRows(deps, query));
      },
    }),

    panelCall('GET /panel/operator/audit.jsonl', {
      query: closed(filters),
      async handle({ query }) {
        return jsonLines('audit.jsonl', rows(deps, query));
      },
    }),
  ];
}

async function* tableRows(deps: PanelDeps, query: AuditQuery) {
  for await (const row of rows(deps, query)) {
    yield [
      ...[row.audit_id, row.at, row.actor, row.person?.person_id ?? null, row.action],
      ...[row.account?.name ?? null, row.account?.account_id ?? null, row.subject],
      ...[JSON.stringify(row.detail), row.address],
    ];
  }
}

/** All that match, newest first, read page by page as they are sent. */
async function* rows({ database, ids }: PanelDeps, query: AuditQuery): AsyncGenerator<AuditRow> {
  const filter = await readFilter({ database }, query);
  for (let before: number | undefined; ; ) {
    const page = { limit: streamedPageSize, ...(before !== undefined && { before }) };
    const entries = await listAuditEntries(database.reports, { ...filter, ...page });
    yield* entries.map((entry) => present(ids, entry));
    before = entries.at(-1)?.id;
    if (entries.length < streamedPageSize) return;
  }
}

/** @throws AppError `invalid_request` */
async function readFilter(
  { database }: Pick<PanelDeps, 'database'>,
  query: AuditQuery,
): Promise<Omit<AuditFilter, 'limit' | 'before'>> {
  const { account_id: accountId, person_id: personId, action, address, from, to } = query;
  const filter = {
    ...(accountId && { accountId }),
    ...(personId && { personId }),
    ...(action && { action }),
    ...(address && { address }),
    ...(from && { fromMs: readTime('from', from) }),
    ...(to && { toMs: readTime('to', to) }),
  };
  await assertKnownAudit(database.read, filter);
  return filter;
}

function readTime(name: string, value: string): number {
  const ms = Date.parse(value);
  if (Number.isFinite(ms)) return ms;
  throw new AppError('invalid_request', `${name} must be a time such as 2026-11-20T00:00:00Z.`);
}

function present(
  ids: OpaqueIds,
  { id, at, actor, action, accountId, accountName, ...noted }: WrittenAuditEntry,
): AuditRow {
  return {
    audit_id: ids.seal('audit', id),
    at: toIso(at),
    person: actor.personId === null ? null : { person_id: actor.personId, name: actor.name },
    actor: actor.name,
    action,
    account: accountId === null ? null : { account_id: accountId, name: accountName ?? '' },
    ...hideNumbers(ids, { action, ...noted }),
    address: actor.address ?? null,
  };
}
