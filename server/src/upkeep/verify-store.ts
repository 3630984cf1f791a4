import { type RawBuilder, sql } from 'kysely';
import { isLeased, isOver, isQueued, isWaiting } from '../db/job-predicates.ts';
import { rowsOf } from '../db/rows.ts';
import type { Queries } from '../db/schema.ts';
import { balanceChange, type EntrySums, reservedChange, sumEntries } from './entry-sums-store.ts';
import { betweenPages, cutIntoPages, type IdPage, isInPage } from './id-pages-store.ts';

export interface Violation {
  /** `I1` … `I12`, as in ARCHITECTURE.md. */
  invariant: string;
  detail: string;
}

// Enough to see the problem; a broken ledger may have millions.
const maxViolations = 100;

// SQLite blocks the thread while a statement runs, and PostgreSQL cancels long statements. With 400,000
// entries SQLite then blocks for 0.1 s at a time instead of 2 s.
const defaultPageSize = 5_000;
// `rowsOf` binds four values for each account of a page, and SQLite takes at most 32,766.
const maxAccounts = 1_000;
// Each may have 10,000 jobs.
const maxBatches = 10;

/**
 * Finds rows that violate an invariant of accounts, ledger, jobs, events or batches, page by page. Empty when all is
 * well.
 */
export async function findViolations(
  queries: Queries,
  { pageSize = defaultPageSize, signal }: { pageSize?: number; signal?: AbortSignal } = {},
): Promise<Violation[]> {
  const accounts = await cutIntoPages(queries, 'accounts', Math.min(pageSize, maxAccounts), signal);
  const jobs = await cutIntoPages(queries, 'jobs', pageSize, signal);
  const batches = await cutIntoPages(queries, 'batches', Math.min(pageSize, maxBatches), signal);
  const sums = [...(await sumEntries(queries, pageSize, signal))];
  const checks: [invariant: string, pages: IdPage[], check: Check][] = [
    ['I1', accounts, badAmounts],
    ['I2', accounts, (page) => badSums(queries, page, sums)],
    ['I3', jobs, badEntries],
    ['I4', accounts, badHolds],
    ['I6', jobs, badTimes],
    ['I7', accounts, strangersKeys],
    ['I8', jobs, badEvents],
    ['I11', [{ after: null, upTo: null }], badLimits], // limits and open jobs are few
    ['I12', batches, badBatches],
  ];
  const violations: Violation[] = [];
  for (const [invariant, pages, check] of checks) {
    const details = await lookAt(queries, pages, check, signal);
    violations.push(...details.map((detail) => ({ invariant, detail })));
  }
  return violations;
}

/** A query for the violations in a page. */
type Check = (page: IdPage) => RawBuilder<{ detail: string }>;

async function lookAt(
  queries: Queries,
  pages: readonly IdPage[],
  check: Check,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const details: string[] = [];
  for (const page of pages) {
    const { rows } = await check(page).execute(queries);
    details.push(...rows.map(({ detail }) => detail));
    if (details.length >= maxViolations) break;
    await betweenPages(signal);
  }
  return details.slice(0, maxViolations);
}

/** Counts what there is to verify. */
export async function countVerified(
  queries: Queries,
): Promise<{ accounts: number; entries: number; jobs: number; events: number }> {
  const { rows } = await sql<{ accounts: number; entries: number; jobs: number; events: number }>`select
    (select count(*) from accounts) as accounts, (select count(*) from entries) as entries,
    (select count(*) from jobs) as jobs, (select count(*) from events) as events`.execute(queries);
  return rows[0] ?? { accounts: 0, entries: 0, jobs: 0, events: 0 };
}

const limit = sql.lit(maxViolations);

const badAmounts: Check = (
  page,
) => sql`select 'account ' || id || ': balance ' || balance_micros || ', reserved '
    || reserved_micros as detail
  from accounts where ${isInPage('id', page)}
    and (balance_micros < 0 or reserved_micros < 0 or reserved_micros > balance_micros) limit ${limit}`;

/** Adds entries written since the sums were made, so that both sides are of the same moment. */
function badSums(
  queries: Queries,
  { after, upTo }: IdPage,
  sums: readonly (readonly [account: string, sums: EntrySums])[],
): RawBuilder<{ detail: string }> {
  const known = rowsOf(
    queries,
    { id: 'uuid', balance: 'integer', reserved: 'integer', last_id: 'integer' },
    sums
      .filter(([id]) => (after === null || id > after) && (upTo === null || id <= upTo))
      .map(([id, { balance, reserved, lastId }]) => ({ id, balance, reserved, last_id: lastId })),
  );
  const later = (change: RawBuilder<unknown>) => sql`coalesce((select sum(${change}) from entries
    where entries.account_id = accounts.id and entries.id > coalesce(known.last_id, 0)), 0)`;
  return sql`select 'account ' || id || ': cached ' || balance_micros || '/' || reserved_micros
      || ', entries say ' || balance || '/' || reserved as detail
    from (
      select accounts.id, balance_micros, reserved_micros,
        coalesce(known.balance, 0) + ${later(balanceChange)} as balance,
        coalesce(known.reserved, 0) + ${later(reservedChange)} as reserved
      from accounts left join ${known} as known on known.id = accounts.id
      where ${isInPage('accounts.id', { after, upTo })}) as summed
    where balance_micros <> balance or reserved_micros <> reserved limit ${limit}`;
}

// Two unique indexes, one for each join, guarantee at most one of each per job.
const badEntries: Check = (page) => sql`select 'job ' || jobs.id || ' is ' || status || ' with '
    || coalesce(reserve.kind, 'no reserve') || ' and ' || coalesce(settlement.kind, 'no settlement') as detail
  from jobs left join entries as reserve on reserve.job_id = jobs.id and reserve.kind = 'reserve'
    left join entries as settlement on settlement.job_id = jobs.id and settlement.kind in ('capture', 'release')
  where ${isInPage('jobs.id', page)} and (reserve.id is null or reserve.amount_micros <> price_micros
    or coalesce(settlement.kind, '') <> (case status when 'done' then 'capture' when 'failed' then 'release' else '' end)
    or settlement.amount_micros <> price_micros) limit ${limit}`;

// Running and queued jobs are few, and found by their indexes.
const badHolds: Check = (page) => sql`select 'account ' || accounts.id || ': reserved ' || reserved_micros
    || ', its jobs hold ' || coalesce(held, 0) as detail
  from accounts left join (
    select account_id, sum(price_micros) as held from (
      select account_id, price_micros from jobs where ${isWaiting}
      union all
      select account_id, price_micros from jobs
      where ${isLeased}) as under_way
    group by account_id) as holds on holds.account_id = accounts.id
  where ${isInPage('accounts.id', page)} and reserved_micros <> coalesce(held, 0) limit ${limit}`;

const badLimits: Check =
  () => sql`select 'limit of unfinished jobs of ' || subject || ' ' || subject_id || ': counted ' || used
    || ', there are ' || present as detail
  from (
    select subject, subject_id, used, (
      select count(*) from (
        select account_id, key_id, client_token_id from jobs where ${isWaiting}
        union all
        select account_id, key_id, client_token_id from jobs where ${isLeased}) as under_way
      where case subject when 'account' then account_id when 'key' then key_id else client_token_id end = subject_id) as present
    from limits where meter = 'open') as counted
  where used <> present limit ${limit}`;

const badTimes: Check = (
  page,
) => sql`select 'job ' || id || ' is ' || status || ' but its times say otherwise' as detail
  from jobs where ${isInPage('id', page)} and (
    (${isOver}) <> (finished_at is not null)
    or (${isQueued} and started_at is not null) or (status in ('processing', 'done') and started_at is null)
    or started_at < created_at or finished_at < created_at or finished_at < started_at) limit ${limit}`;

const strangersKeys: Check = (page) => sql`select 'idempotency key of job ' || job_id
    || ' belongs to another account' as detail
  from idempotency_keys join jobs on jobs.id = idempotency_keys.job_id
  where ${isInPage('idempotency_keys.account_id', page)}
    and jobs.account_id <> idempotency_keys.account_id limit ${limit}`;

const badEvents: Check = (page) => sql`select 'job ' || jobs.id || ' is ' || status || ' and has '
    || count(events.seq) || ' events' as detail
  from jobs left join events on events.job_id = jobs.id and events.type = 'job.' || jobs.status
  where ${isInPage('jobs.id', page)} group by jobs.id, status
  having count(events.seq) <> (case when ${isOver} then 1 else 0 end) limit ${limit}`;

// Old jobs are removed before others of their batch, and its counts keep them; jobs that have not ended always stay.
const badBatches: Check = (page) => sql`select 'batch ' || id || ': ' || jobs || ' jobs, counted '
    || done || ' done and ' || failed || ' failed, charged ' || charged_micros || ', there are '
    || present || ' jobs, ' || present_done || ' done and ' || present_failed || ' failed, charged ' || present_charged as detail
  from (
    select batches.id, batches.jobs, batches.done, batches.failed, batches.charged_micros,
      count(jobs.id) as present,
      count(case when status = 'done' then 1 end) as present_done,
      count(case when status = 'failed' then 1 end) as present_failed,
      coalesce(sum(case when status = 'done' then jobs.price_micros end), 0) as present_charged
    from batches left join jobs on jobs.batch_id = batches.id
    where ${isInPage('batches.id', page)} group by batches.id) as counted
  where present - present_done - present_failed <> jobs - done - failed
    or present_done > done or present_failed > failed or present_charged > charged_micros
    or (present = jobs and present_charged <> charged_micros) limit ${limit}`;
