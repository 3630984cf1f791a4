import { type RawBuilder, sql } from 'kysely';
import { hasBegun, isLeased, isWaiting, isWanted } from '../../base/db/job-predicates.ts';
import { assertHolds, holdsAny, isAnyOf, isFoundBy, isPostgres, nowMs, rowsOf } from '../../base/db/rows.ts';
import type { JobsTable, Queries, Tx } from '../../base/db/schema.ts';
import type { Catalogue } from '../../upstream/catalog/catalogue.ts';
import type { AspectRatio, Model, ModelId, Resolution } from '../../upstream/catalog/models.ts';
import { listPauses, pauseOf } from '../admission/pause-store.ts';
import { type Job, parseOutput } from '../job.ts';
import { parseFailures, parseParameters, toJob } from '../job-store.ts';
import type { WaitingJob } from '../routes/decide-routes.ts';
import { shapeOf } from '../routes/plan-request.ts';
import type { Route } from '../routes/route.ts';
import type { Claim, RunningCount } from './decide-claims.ts';
import type { Room } from './room.ts';

// The arbitrary number of the lock that makes all processes' claims take turns, so that route limits are exact.
const claimLock = 4_736_252;

/** Waits until no other claim is running. SQLite has only one writer anyway. */
export async function lockClaims(tx: Tx): Promise<void> {
  if (isPostgres(tx)) await sql`select pg_advisory_xact_lock(${sql.lit(claimLock)})`.execute(tx);
}

/**
 * Asserts that all claims have room, and that no paced route was used after `paces` was read. The caller must hold the
 * claim lock.
 */
export async function assertRoom(
  tx: Tx,
  rooms: readonly Room[],
  paces: readonly { route: string; busy_until: number }[],
): Promise<void> {
  if (!isPostgres(tx)) return;
  const wanted = rowsOf(tx, { kind: 'text', id: 'text', most: 'integer' }, [...rooms]);
  const running = sql`(select account_id, key_id, route, count(*) as jobs from jobs where ${isLeased} group by account_id, key_id, route)`;
  const ofRoom = sql`case wanted.kind when 'route' then running.route
    when 'account' then running.account_id::text else running.key_id::text end = wanted.id`;
  const known = rowsOf(tx, { route: 'text', busy_until: 'integer' }, [...paces]);
  await Promise.all([
    assertHolds(
      tx,
      sql`not exists (with running as materialized ${running} select from ${wanted} as wanted
        where (select coalesce(sum(jobs), 0) from running where ${ofRoom}) > wanted.most)`,
    ),
    paces.length > 0 &&
      assertHolds(
        tx,
        sql`not exists (select from ${known} as known join route_paces as now on now.route = known.route
          where now.busy_until > known.busy_until)`,
      ),
  ]);
}

/** Whether any job is waiting to be claimed, now or when its next attempt is due. */
export const isAnyJobWaiting = sql<boolean>`exists (select 1 from jobs where ${isWaiting})`;

/** Whether any job can be claimed. Takes no lock, so that idle workers cost little. */
export function isAnyClaimable(queries: Queries): Promise<boolean> {
  return holdsAny(queries, [
    sql`exists (select 1 from jobs where ${isWaiting} and claimable_at <= ${nowMs})`,
  ]);
}

export async function readRunning(tx: Tx, routes: readonly Route[]) {
  const [pauses, rows] = await Promise.all([
    listPauses(tx),
    tx
      .selectFrom('jobs')
      .select(({ fn }) => ['account_id', 'key_id', 'model', 'route', fn.countAll<number>().as('count')])
      .where(isLeased)
      .groupBy(['account_id', 'key_id', 'model', 'route'])
      .execute(),
  ]);
  const used = new Map<string | null, number>();
  for (const { route, count } of rows) used.set(route, (used.get(route) ?? 0) + count);
  return {
    running: rows.map(
      ({ account_id: accountId, key_id: keyId, model, count }): RunningCount => ({
        accountId,
        keyId,
        model,
        count,
      }),
    ),
    used,
    paused: new Set(routes.map(({ model }) => model).filter((model) => pauseOf(pauses, model))),
  };
}

export interface Waiting extends WaitingJob {
  id: string;
  keyId: string;
  attempt: number;
  inBatch: boolean;
}

interface WaitingRow {
  id: string;
  account_id: string;
  key_id: string;
  attempt: number;
  aspect_ratio: AspectRatio | null;
  resolution: Resolution;
  model_version: number | null;
  parameters: string | null;
  /** The number of inputs, including the mask. */
  inputs: number;
  masks: number;
  output: string | null;
  failures: string;
  route: string | null;
  remote_id: string | null;
  started_at: number | null;
  deadline_at: number | null;
  batch_id: string | null;
}

export async function listWaitingModels(tx: Tx, models: readonly ModelId[]): Promise<ModelId[]> {
  const asked = rowsOf(
    tx,
    { model: 'text' },
    models.map((model) => ({ model })),
  );
  const { rows } = await sql<{ model: string }>`select model from ${asked} as asked
    where exists (select 1 from jobs where ${isWaiting} and jobs.model = asked.model)`.execute(tx);
  return rows.map(({ model }) => model);
}

// The maximum number of skips past batches. Each step skips a batch or finds a job, and takes tens of microseconds.
const mostSkips = 256;

/**
 * Reads each account's oldest waiting jobs. If the last of them belongs to a batch, also reads the oldest jobs outside
 * batches.
 */
export async function findWaiting(
  tx: Tx,
  model: ModelId,
  {
    each,
    onlyBegun,
    except,
    catalogue,
  }: { each: number; onlyBegun: boolean; except: readonly string[]; catalogue: Catalogue },
): Promise<Waiting[]> {
  const begun = onlyBegun ? sql`and ${hasBegun}` : sql``;
  const wait = sql`${isWaiting} ${begun} and model = ${model}`;
  const found = sql`select id from jobs where ${wait} and account_id = waiting.account_id and claimable_at <= ${nowMs}
      and ${isWanted} order by id limit ${each}`;
  const others =
    except.length === 0 ? sql`` : sql`where not ${isAnyOf(tx, 'waiting.account_id', except, 'uuid')}`;
  const { rows } = await sql<WaitingRow>`
    with recursive waiting (account_id) as (
      select * from (select account_id from jobs where ${wait} order by account_id limit 1) as first
      union all
      select (select account_id from jobs where ${wait} and account_id > waiting.account_id
        order by account_id limit 1)
      from waiting where waiting.account_id is not null)
    select ${columnsOf(tx)} from waiting join jobs on jobs.id ${isFoundBy(tx, found)} ${others}`.execute(tx);
  const behind = await findBehindBatches(tx, { wait, each, accounts: filledByBatches(rows, each) });
  return describeWaiting(tx, { model, catalogue }, [...rows, ...behind]);
}

function columnsOf(tx: Tx) {
  const inputs = isPostgres(tx) ? sql`json_array_length(inputs::json)` : sql`json_array_length(inputs)`;
  return sql`jobs.id, jobs.account_id, key_id, attempt, aspect_ratio, resolution, model_version, parameters,
      ${inputs} as inputs, case when inputs like '%"isMask":true%' then 1 else 0 end as masks, failures, route, remote_id, started_at, deadline_at, batch_id, output`;
}

/** The accounts that may have unread jobs and whose last read job belongs to a batch. */
function filledByBatches(rows: readonly WaitingRow[], each: number): string[] {
  return [...Map.groupBy(rows, ({ account_id }) => account_id)].flatMap(([accountId, own]) => {
    const last = own.reduce((one, other) => (one.id > other.id ? one : other));
    return own.length >= each && last.batch_id !== null ? [accountId] : [];
  });
}

/** Finds jobs without a batch, regardless of how many batch jobs come before them. */
async function findBehindBatches(
  tx: Tx,
  { wait, each, accounts }: { wait: RawBuilder<unknown>; each: number; accounts: readonly string[] },
): Promise<WaitingRow[]> {
  if (accounts.length === 0) return [];
  const asked = rowsOf(
    tx,
    { account_id: 'uuid' },
    accounts.map((accountId) => ({ account_id: accountId })),
  );
  // Skips the rest of the batch: to the end of the millisecond of its last id, because a batch's ids are created in
  // order.
  const last = isPostgres(tx) ? sql`last.id::text` : sql`last.id`;
  const lastOfBatch = sql`(select substr(${last}, 1, 13) || '-ffff-ffff-ffffffffffff' from jobs as last
    where last.batch_id = (select batch_id from jobs as seen where seen.id = steps.id)
    order by last.batch_index desc limit 1)`;
  const skipped = isPostgres(tx) ? sql`cast(${lastOfBatch} as uuid)` : lastOfBatch;
  const next = sql`select jobs.id from jobs where ${wait} and jobs.account_id = steps.account_id
    and jobs.id > coalesce(${skipped}, steps.id) order by jobs.id limit 1`;
  const { rows } = await sql<WaitingRow>`
    with recursive steps (account_id, id, nth) as (
      select asked.account_id, (select jobs.id from jobs where ${wait} and jobs.account_id = asked.account_id
        order by jobs.id limit 1), 1 from ${asked} as asked
      union all
      select steps.account_id, (${next}), nth + 1 from steps
      where steps.id is not null and nth < ${sql.lit(Math.min(each, mostSkips) + mostSkips)})
    select ${columnsOf(tx)} from jobs where jobs.id ${isFoundBy(tx, sql`select steps.id from steps`)}
      and batch_id is null and claimable_at <= ${nowMs} limit ${sql.lit(each * accounts.length)}`.execute(tx);
  return rows;
}

async function describeWaiting(
  tx: Tx,
  { model, catalogue }: { model: ModelId; catalogue: Catalogue },
  found: readonly WaitingRow[],
): Promise<Waiting[]> {
  const rows = [...new Map(found.map((row) => [row.id, row])).values()];
  const versions = new Map<number | null, Model>();
  for (const version of new Set(rows.map((row) => row.model_version)))
    versions.set(version, await catalogue.at(tx, model, version));
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    keyId: row.key_id,
    attempt: row.attempt,
    inBatch: row.batch_id !== null,
    shape: shapeOf(versions.get(row.model_version) as Model, {
      // The cast is right: the loop above has read every version.
      aspectRatio: row.aspect_ratio,
      resolution: row.resolution,
      inputs: { length: row.inputs - row.masks },
      mask: row.masks > 0 ? {} : null,
      parameters: parseParameters(row.parameters),
      output: parseOutput(row.output),
    }),
    failures: parseFailures(row.failures),
    route: row.route,
    remoteId: row.remote_id,
    startedAt: row.started_at,
    deadlineAt: row.deadline_at,
  }));
}

/** Leases jobs for their next attempt. Drops a remote id of another route. `started_at` is at least `created_at`. */
export async function leaseJobs(
  tx: Tx,
  claims: readonly Claim[],
  { worker, leaseMs }: { worker: string; leaseMs: number },
): Promise<Job[]> {
  if (claims.length === 0) return [];
  const claimed = rowsOf(
    tx,
    { id: 'uuid', route: 'text' },
    claims.map(({ jobId, routeId }) => ({ id: jobId, route: routeId })),
  );
  // A job that was cancelled after the decision does not match and stays unchanged.
  const { rows } =
    await sql<JobsTable>`update jobs set worker = ${worker}, attempt = attempt + 1, status = 'processing',
      started_at = coalesce(started_at, case when created_at > ${nowMs} then created_at else ${nowMs} end), claimable_at = ${nowMs} + ${sql.lit(leaseMs)}, route = claimed.route,
      remote_id = case when jobs.route = claimed.route then jobs.remote_id end
    from ${claimed} as claimed
    where jobs.id = claimed.id and ${isWaiting} and ${isWanted}
    returning *`.execute(tx);
  return rows.map((row) => toJob(row));
}
