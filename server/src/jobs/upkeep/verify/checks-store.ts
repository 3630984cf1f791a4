import { type RawBuilder, sql } from 'kysely';
import { isLeased, isOver, isQueued, isWaiting } from '../../../base/db/job-predicates.ts';
import { isPostgres, lookedUpBy, rowsOf } from '../../../base/db/rows.ts';
import type { Queries } from '../../../base/db/schema.ts';
import { countedThrough } from '../../activity/roll-up-store.ts';
import {
  balanceChange,
  capturedChange,
  type EntrySums,
  endedChange,
  releasedChange,
  reservedChange,
} from './entry-sums-store.ts';

export interface Violation {
  /** `I1` … `I15`, as in ARCHITECTURE.md. */
  invariant: string;
  detail: string;
}

/** Makes the condition for the rows to check: a page, or the changed rows. `column` has their ids. */
export type Chosen = (column: string) => RawBuilder<boolean>;

// The maximum number of violations to list. A broken ledger may have millions.
export const maxViolations = 100;

export async function checkJobs(queries: Queries, chosen: Chosen): Promise<Violation[]> {
  return [
    ...(await find(queries, 'I3', badEntries(chosen, joinedTo(queries, chosen)))),
    ...(await find(queries, 'I6', badTimes(chosen))),
    ...(await find(queries, 'I8', badEvents(chosen, joinedTo(queries, chosen)))),
  ];
}

/** Checks I1, I4, I15, and I2 of accounts without entries. */
export async function checkAccounts(queries: Queries, chosen: Chosen): Promise<Violation[]> {
  return [
    ...(await find(queries, 'I1', badAmounts(chosen))),
    ...(await find(queries, 'I2', moneyOfNothing(chosen))),
    ...(await find(queries, 'I4', badHolds(chosen))),
    ...(await find(queries, 'I15', badDebts(chosen))),
  ];
}

export async function checkSums(
  queries: Queries,
  sums: ReadonlyMap<string, EntrySums>,
): Promise<Violation[]> {
  return [
    ...(await find(queries, 'I2', badSums(queries, sums))),
    ...(await find(queries, 'I13', badActivity(queries, sums))),
    ...(await find(queries, 'I14', badRevenue(queries, sums))),
  ];
}

/** Checks I7. */
export function checkKeys(queries: Queries, isInRange: RawBuilder<boolean>): Promise<Violation[]> {
  return find(queries, 'I7', strangersKeys(isInRange));
}

/** Checks I11 for all limits together, because limits and open jobs are few. */
export function checkLimits(queries: Queries): Promise<Violation[]> {
  return find(queries, 'I11', badLimits);
}

/** Checks I12. */
export function checkBatches(queries: Queries, chosen: Chosen): Promise<Violation[]> {
  return find(queries, 'I12', badBatches(chosen, joinedTo(queries, chosen)));
}

/** Restricts a joined table, which PostgreSQL would otherwise read from its start for every page. */
function joinedTo(queries: Queries, chosen: Chosen): Chosen {
  return isPostgres(queries) ? chosen : () => sql`true`;
}

async function find(
  queries: Queries,
  invariant: string,
  query: RawBuilder<{ detail: string }>,
): Promise<Violation[]> {
  const { rows } = await query.execute(queries);
  return rows.map(({ detail }) => ({ invariant, detail }));
}

type Details = RawBuilder<{ detail: string }>;

const limit = sql.lit(maxViolations);

const badAmounts = (
  chosen: Chosen,
): Details => sql`select 'account ' || id || ': balance ' || balance_micros || ', reserved '
    || reserved_micros as detail
  from accounts where ${chosen('id')}
    and (balance_micros < 0 or reserved_micros < 0 or reserved_micros > balance_micros) limit ${limit}`;

const badDebts = (
  chosen: Chosen,
): Details => sql`select 'account ' || id || ': owes ' || debt_micros || ', its debts say ' || owed as detail
  from (select id, debt_micros, coalesce((select sum(left_micros) from debts where debts.account_id = accounts.id), 0) as owed
    from accounts where ${chosen('id')}) as accounts
  where debt_micros <> owed limit ${limit}`;

const moneyOfNothing = (
  chosen: Chosen,
): Details => sql`select 'account ' || id || ': cached ' || balance_micros
    || '/' || reserved_micros || ', and it has no entries' as detail
  from accounts where ${chosen('id')} and (balance_micros <> 0 or reserved_micros <> 0)
    and not exists (select 1 from entries where entries.account_id = accounts.id) limit ${limit}`;

/** Adds the entries written after the sums, so that the sums and the accounts' balances are of the same moment. */
function badSums(queries: Queries, sums: ReadonlyMap<string, EntrySums>): Details {
  const known = rowsOf(
    queries,
    { id: 'uuid', balance: 'integer', reserved: 'integer', last_id: 'integer' },
    [...sums].map(([id, { balance, reserved, lastId }]) => ({ id, balance, reserved, last_id: lastId })),
  );
  const later = (change: RawBuilder<unknown>) => sql`coalesce((select sum(${change}) from entries
    where entries.account_id = accounts.id and entries.id > known.last_id), 0)`;
  return sql`select 'account ' || id || ': cached ' || balance_micros || '/' || reserved_micros
      || ', entries say ' || balance || '/' || reserved as detail
    from (
      select accounts.id, balance_micros, reserved_micros,
        known.balance + ${later(balanceChange)} as balance, known.reserved + ${later(reservedChange)} as reserved
      from ${known} as known join accounts on accounts.id = known.id
      where ${lookedUpBy(queries, 'accounts.id', [...sums.keys()], 'uuid')}) as summed
    where balance_micros <> balance or reserved_micros <> reserved limit ${limit}`;
}

/** Compares the activity by hour and day, including uncounted entries, with the sums of all entries. */
function badActivity(queries: Queries, sums: ReadonlyMap<string, EntrySums>): Details {
  const known = rowsOf(
    queries,
    { id: 'uuid', ended: 'integer', captured: 'integer', released: 'integer', last_id: 'integer' },
    [...sums].map(([id, { lastId, ended, captured, released }]) => ({
      id,
      ended,
      captured,
      released,
      last_id: lastId,
    })),
  );
  const after = (
    id: RawBuilder<unknown>,
    change: RawBuilder<unknown>,
  ) => sql`coalesce((select sum(${change}) from entries
    where entries.account_id = known.id and entries.id > ${id}), 0)`;
  const through = countedThrough(sql`known.id`);
  const counted = (what: RawBuilder<unknown>) => sql`coalesce((select sum(${what}) from activity
    where activity.account_id = known.id and activity.slot_ms = slots.slot_ms), 0)`;
  const ofStatus = (status: string) => sql`case status when ${sql.lit(status)} then price_micros else 0 end`;
  return sql`select 'account ' || id || ': of ' || ended || ' ended jobs for ' || captured || ' and ' || released
      || ' its activity counts ' || jobs || ' for ' || done || ' and ' || failed as detail
    from (
      select known.id,
        known.ended + ${after(sql`known.last_id`, endedChange)} as ended,
        known.captured + ${after(sql`known.last_id`, capturedChange)} as captured,
        known.released + ${after(sql`known.last_id`, releasedChange)} as released,
        ${counted(sql`jobs`)} + ${after(through, endedChange)} as jobs,
        ${counted(ofStatus('done'))} + ${after(through, capturedChange)} as done,
        ${counted(ofStatus('failed'))} + ${after(through, releasedChange)} as failed
      from ${known} as known
      cross join (select 3600000 as slot_ms union all select 86400000) as slots) as summed
    where ended <> jobs or captured <> done or released <> failed limit ${limit}`;
}

/** Compares the margins' revenue, including uncounted entries, with the captures. */
function badRevenue(queries: Queries, sums: ReadonlyMap<string, EntrySums>): Details {
  const known = rowsOf(
    queries,
    { id: 'uuid', captured: 'integer', last_id: 'integer' },
    [...sums].map(([id, { lastId, captured }]) => ({ id, captured, last_id: lastId })),
  );
  const after = (id: RawBuilder<unknown>) => sql`coalesce((select sum(${capturedChange}) from entries
    where entries.account_id = known.id and entries.id > ${id}), 0)`;
  return sql`select 'account ' || id || ': of ' || captured || ' captured its margins count ' || revenue as detail
    from (
      select known.id, known.captured + ${after(sql`known.last_id`)} as captured,
        coalesce((select sum(revenue_micros) from margins where margins.account_id = known.id), 0)
          + ${after(countedThrough(sql`known.id`, 'margin_progress'))} as revenue
      from ${known} as known) as summed
    where captured <> revenue limit ${limit}`;
}

// Two unique indexes, one per join, guarantee that a job has at most one reserve and one settlement.
const badEntries = (
  chosen: Chosen,
  joined: Chosen,
): Details => sql`select 'job ' || jobs.id || ' is ' || status || ' with '
    || coalesce(reserve.kind, 'no reserve') || ' and ' || coalesce(settlement.kind, 'no settlement') as detail
  from jobs left join entries as reserve on reserve.job_id = jobs.id and reserve.kind = 'reserve'
      and ${joined('reserve.job_id')}
    left join entries as settlement on settlement.job_id = jobs.id and settlement.kind in ('capture', 'release')
      and ${joined('settlement.job_id')}
  where ${chosen('jobs.id')} and (reserve.id is null or reserve.amount_micros <> price_micros
    or coalesce(settlement.kind, '') <> (case status when 'done' then 'capture' when 'failed' then 'release' else '' end)
    or settlement.amount_micros <> price_micros) limit ${limit}`;

// Sums all running and queued jobs, because they are few and indexes find them.
const badHolds = (
  chosen: Chosen,
): Details => sql`select 'account ' || accounts.id || ': reserved ' || reserved_micros
    || ', its jobs hold ' || coalesce(held, 0) as detail
  from accounts left join (
    select account_id, sum(price_micros) as held from (
      select account_id, price_micros from jobs where ${isWaiting}
      union all
      select account_id, price_micros from jobs
      where ${isLeased}) as under_way
    group by account_id) as holds on holds.account_id = accounts.id
  where ${chosen('accounts.id')} and reserved_micros <> coalesce(held, 0) limit ${limit}`;

const badLimits: Details = sql`select 'limit of unfinished jobs of ' || subject || ' ' || subject_id || ': counted ' || used
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

const badTimes = (
  chosen: Chosen,
): Details => sql`select 'job ' || id || ' is ' || status || ' but its times say otherwise' as detail
  from jobs where ${chosen('id')} and (
    (${isOver}) <> (finished_at is not null)
    or (${isQueued} and started_at is not null) or (status in ('processing', 'done') and started_at is null)
    or started_at < created_at or finished_at < created_at or finished_at < started_at) limit ${limit}`;

const strangersKeys = (
  isInRange: RawBuilder<boolean>,
): Details => sql`select 'idempotency key of job ' || job_id
    || ' belongs to another account' as detail
  from idempotency_keys join jobs on jobs.id = idempotency_keys.job_id
  where ${isInRange}
    and jobs.account_id <> idempotency_keys.account_id limit ${limit}`;

const badEvents = (
  chosen: Chosen,
  joined: Chosen,
): Details => sql`select 'job ' || jobs.id || ' is ' || status || ' and has '
    || count(events.seq) || ' events' as detail
  from jobs left join events on events.job_id = jobs.id and events.type = 'job.' || jobs.status
    and ${joined('events.job_id')}
  where ${chosen('jobs.id')} group by jobs.id, status
  having count(events.seq) <> (case when ${isOver} then 1 else 0 end) limit ${limit}`;

// A batch still counts ended jobs that were removed. Jobs that have not ended are never removed.
const badBatches = (
  chosen: Chosen,
  joined: Chosen,
): Details => sql`select 'batch ' || id || ': ' || jobs || ' jobs, counted '
    || done || ' done and ' || failed || ' failed, charged ' || charged_micros || ', there are '
    || present || ' jobs, ' || present_done || ' done and ' || present_failed || ' failed, charged ' || present_charged as detail
  from (
    select batches.id, batches.jobs, batches.done, batches.failed, batches.charged_micros,
      count(jobs.id) as present,
      count(case when status = 'done' then 1 end) as present_done,
      count(case when status = 'failed' then 1 end) as present_failed,
      coalesce(sum(case when status = 'done' then jobs.price_micros end), 0) as present_charged
    from batches left join jobs on jobs.batch_id = batches.id and ${joined('jobs.batch_id')}
    where ${chosen('batches.id')} group by batches.id) as counted
  where present - present_done - present_failed <> jobs - done - failed
    or present_done > done or present_failed > failed or present_charged > charged_micros
    or (present = jobs and present_charged <> charged_micros) limit ${limit}`;
