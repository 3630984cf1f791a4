import { sql } from 'kysely';
import type { Queries } from '../db/schema.ts';

export interface Violation {
  /** `I1` … `I10`, as in ARCHITECTURE.md. */
  invariant: string;
  detail: string;
}

// Enough to see what is wrong; a broken ledger may have millions.
const maxViolations = 100;

/** Looks for rows that break an invariant of accounts, ledger, jobs and events. Empty is good. */
export async function findViolations(queries: Queries): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const { invariant, query } of checks) {
    const { rows } = await query.execute(queries);
    violations.push(...rows.map(({ detail }) => ({ invariant, detail })));
  }
  return violations;
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

const check = (invariant: string, query: ReturnType<typeof sql<{ detail: string }>>) => ({
  invariant,
  query,
});
const limit = sql.lit(maxViolations);

const checks = [
  check(
    'I1',
    sql<{
      detail: string;
    }>`select 'account ' || id || ': balance ' || balance_micros || ', reserved ' || reserved_micros as detail
      from accounts where balance_micros < 0 or reserved_micros < 0 or reserved_micros > balance_micros limit ${limit}`,
  ),
  check(
    'I2',
    sql<{
      detail: string;
    }>`select 'account ' || accounts.id || ': cached ' || balance_micros || '/' || reserved_micros
        || ', entries say ' || coalesce(balance, 0) || '/' || coalesce(reserved, 0) as detail
      from accounts left join (
        select account_id,
          sum(case kind when 'credit' then amount_micros when 'capture' then -amount_micros else 0 end) as balance,
          sum(case kind when 'reserve' then amount_micros when 'credit' then 0 else -amount_micros end) as reserved
        from entries group by account_id) as sums on sums.account_id = accounts.id
      where balance_micros <> coalesce(balance, 0) or reserved_micros <> coalesce(reserved, 0) limit ${limit}`,
  ),
  check(
    'I3',
    sql<{
      detail: string;
    }>`select 'job ' || jobs.id || ' is ' || status || ' with ' || coalesce(reserves, 0) || ' reserve, '
        || coalesce(captures, 0) || ' capture, ' || coalesce(releases, 0) || ' release' as detail
      from jobs left join (
        select job_id, sum(case kind when 'reserve' then 1 else 0 end) as reserves,
          sum(case kind when 'capture' then 1 else 0 end) as captures,
          sum(case kind when 'release' then 1 else 0 end) as releases,
          min(amount_micros) as least, max(amount_micros) as most
        from entries where job_id is not null group by job_id) as sums on sums.job_id = jobs.id
      where coalesce(reserves, 0) <> 1
        or coalesce(captures, 0) <> (case status when 'done' then 1 else 0 end)
        or coalesce(releases, 0) <> (case status when 'failed' then 1 else 0 end)
        or least <> price_micros or most <> price_micros limit ${limit}`,
  ),
  check(
    'I4',
    sql<{
      detail: string;
    }>`select 'account ' || accounts.id || ': reserved ' || reserved_micros || ', its jobs hold '
        || coalesce(held, 0) as detail
      from accounts left join (
        select account_id, sum(price_micros) as held from jobs where status in ('queued', 'processing')
        group by account_id) as holds on holds.account_id = accounts.id
      where reserved_micros <> coalesce(held, 0) limit ${limit}`,
  ),
  check(
    'I6',
    sql<{
      detail: string;
    }>`select 'job ' || id || ' is ' || status || ' but its times say otherwise' as detail from jobs
      where (status in ('done', 'failed')) <> (finished_at is not null)
        or (status = 'queued' and started_at is not null) or (status in ('processing', 'done') and started_at is null)
        or started_at < created_at or finished_at < created_at or finished_at < started_at limit ${limit}`,
  ),
  check(
    'I7',
    sql<{
      detail: string;
    }>`select 'idempotency key of job ' || job_id || ' belongs to another account' as detail
      from idempotency_keys join jobs on jobs.id = idempotency_keys.job_id
      where jobs.account_id <> idempotency_keys.account_id limit ${limit}`,
  ),
  check(
    'I8',
    sql<{
      detail: string;
    }>`select 'job ' || jobs.id || ' is ' || status || ' and has ' || count(events.seq) || ' events' as detail
      from jobs left join events on events.job_id = jobs.id and events.type = 'job.' || jobs.status
      group by jobs.id, status
      having count(events.seq) <> (case when status in ('done', 'failed') then 1 else 0 end) limit ${limit}`,
  ),
];
