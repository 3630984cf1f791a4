import { type RawBuilder, sql } from 'kysely';
import { isLeased, isOver, isQueued, isWaiting } from '../db/job-predicates.ts';
import { rowsOf } from '../db/rows.ts';
import type { Queries } from '../db/schema.ts';
import { balanceChange, type EntrySums, reservedChange, sumEntries } from './entry-sums-store.ts';
import { betweenPages, cutIntoPages, type IdPage, isInPage } from './id-pages-store.ts';

export interface Violation {
  /** `I1` … `I10`, as in ARCHITECTURE.md. */
  invariant: string;
  detail: string;
}

// Enough to see what is wrong; a broken ledger may have millions.
const maxViolations = 100;

// SQLite keeps the thread while a statement runs, and PostgreSQL ends statements that run for long. Of 400,000 entries
// SQLite then keeps it for 0.1 s at a time; in one piece it was 2 s.
const defaultPageSize = 5_000;
// An account is compared with those of its page one by one, and `rowsOf` binds four values for each, of 32,766 at most.
const maxAccounts = 1_000;

/** Looks for rows that break an invariant of accounts, ledger, jobs and events, page by page. Empty is good. */
export async function findViolations(
  queries: Queries,
  { pageSize = defaultPageSize, signal }: { pageSize?: number; signal?: AbortSignal } = {},
): Promise<Violation[]> {
  const accounts = await cutIntoPages(queries, 'accounts', Math.min(pageSize, maxAccounts), signal);
  const jobs = await cutIntoPages(queries, 'jobs', pageSize, signal);
  const sums = [...(await sumEntries(queries, pageSize, signal))];
  const checks: [invariant: string, pages: IdPage[], check: Check][] = [
    ['I1', accounts, badAmounts],
    ['I2', accounts, (page) => badSums(queries, page, sums)],
    ['I3', jobs, badEntries],
    ['I4', accounts, badHolds],
    ['I6', jobs, badTimes],
    ['I7', accounts, strangersKeys],
    ['I8', jobs, badEvents],
  ];
  const violations: Violation[] = [];
  for (const [invariant, pages, check] of checks) {
    const details = await lookAt(queries, pages, check, signal);
    violations.push(...details.map((detail) => ({ invariant, detail })));
  }
  return violations;
}

/** The query that finds what is wrong in a page. */
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

/** How much there was to verify. */
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

/** Adds what was written since the sums were made: both sides are then of the same moment. */
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

// Two unique indexes, one for each join, say that a job has at most one of each.
const badEntries: Check = (page) => sql`select 'job ' || jobs.id || ' is ' || status || ' with '
    || coalesce(reserve.kind, 'no reserve') || ' and ' || coalesce(settlement.kind, 'no settlement') as detail
  from jobs left join entries as reserve on reserve.job_id = jobs.id and reserve.kind = 'reserve'
    left join entries as settlement on settlement.job_id = jobs.id and settlement.kind in ('capture', 'release')
  where ${isInPage('jobs.id', page)} and (reserve.id is null or reserve.amount_micros <> price_micros
    or coalesce(settlement.kind, '') <> (case status when 'done' then 'capture' when 'failed' then 'release' else '' end)
    or settlement.amount_micros <> price_micros) limit ${limit}`;

// Jobs under way are few, and found over the indexes of the queue and of the leases.
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
