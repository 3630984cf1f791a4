import type { Catalogue } from '../catalog/catalogue.ts';
import type { Model, ModelId } from '../catalog/models.ts';
import type { Database } from '../db/database.ts';
import type { Tx } from '../db/schema.ts';
import { cancelUpstream, type Submitted } from '../jobs/cancel/cancel-upstream.ts';
import type { Job } from '../jobs/job.ts';
import { settleIfUnchanged } from '../jobs/settle-jobs.ts';
import type { Settlement } from '../jobs/settlement-store.ts';
import type { LimitDefaults } from '../limits/limit.ts';
import { readCircuits, readPaces, takePace } from '../routes/circuit-store.ts';
import type { OpenCircuit } from '../routes/decide-circuit.ts';
import { decideRoutes, type RoutesDecision } from '../routes/decide-routes.ts';
import { countFree, type FreeSlots } from '../routes/free-slots.ts';
import { takenPaces } from '../routes/pace.ts';
import type { Route } from '../routes/route.ts';
import type { ClockWatch } from '../std/clock-watch.ts';
import {
  findWaiting,
  isAnyClaimable,
  leaseJobs,
  listWaitingModels,
  lockClaims,
  readRunning,
  type Waiting,
} from './claim-store.ts';
import {
  type Candidate,
  type Claim,
  decideClaims,
  type MostRunning,
  type RunningCount,
} from './decide-claims.ts';
import { readMostRunning } from './most-running.ts';

export interface ClaimOptions {
  worker: string;
  routes: readonly Route[];
  catalogue: Catalogue;
  /** How many more jobs this worker can take. */
  limit: number;
  leaseMs: number;
  /** From the start of a job's first attempt to the end of its last. */
  jobTimeoutMs: number;
  limitDefaults: LimitDefaults;
  /** Watches the database's clock: a jump forward does not use up a job's time. */
  watch: ClockWatch;
  /** Called with jobs that ended because no route can ever take them. */
  onSettled: (jobIds: string[]) => void;
}

export interface ClaimedJob extends Job {
  /** The model as it was accepted under. */
  accepted: Model;
  /** Set when this job probes a half-open circuit: how often in a row the circuit had been opened. */
  probeOf: number | undefined;
  /** The time the job has left at the claim, by the database's clock. */
  leftMs: number;
  /** Whether its client's deadline comes before our own limit. */
  endsAtDeadline: boolean;
}

// Jobs whose routes are full or have an open circuit may be queued before other jobs of their account that
// could run. Claims look past at most this many of them, over all accounts: measured, 10 µs of processor time
// each, at most four times a second.
const lookAhead = 2_000;
// Also scans when no slot is free, to fail jobs that no route can serve.
const leastLook = 8;
// One transaction's worth; the next claim takes the rest.
const maxUnroutable = 200;

/**
 * Leases jobs. Raising `attempt` fences off an earlier worker. Serves new jobs and jobs due for a retry
 * alike; jobs that no route can ever take are failed here.
 */
export async function claimJobs(database: Database, options: ClaimOptions): Promise<ClaimedJob[]> {
  if (options.limit <= 0 || !(await isAnyClaimable(database.read))) return [];
  const { claimed, ended } = await database.transaction(async (tx) => {
    // Queries made together run in order, so the lock is taken first.
    const [, situation] = await Promise.all([lockClaims(tx), readSituation(tx, options)]);
    const { claims, unroutable } = await decide(tx, situation, options);
    // Jobs are locked before accounts, as everywhere, to avoid a deadlock with a cancel.
    const jobs = await leaseJobs(tx, claims, options);
    const ending = unroutable.slice(0, maxUnroutable);
    const settlements = ending.map(({ settlement }) => settlement);
    const settled = new Set((await settleIfUnchanged(tx, settlements)).map(({ id }) => id));
    for (const { route, busyUntil } of takenPaces(options.routes, claims, situation))
      await takePace(tx, route, busyUntil);
    const probes = situation.circuits;
    const { jobTimeoutMs, watch } = options;
    const passedMs = ({ startedAt }: Job) =>
      startedAt === null ? 0 : situation.nowMs - watch.restate(startedAt);
    const accepted = await Promise.all(
      jobs.map(({ model, modelVersion }) => options.catalogue.at(tx, model, modelVersion)),
    );
    return {
      claimed: jobs.map((job, index) => ({
        ...job,
        accepted: accepted[index] as Model, // one for each
        probeOf: probes.get(job.route ?? '')?.failures,
        ...timeLeft(jobTimeoutMs - Math.max(0, passedMs(job)), job, situation.nowMs),
      })),
      ended: ending.filter(({ settlement }) => settled.has(settlement.jobId)),
    };
  });
  if (ended.length > 0) options.onSettled(ended.map(({ settlement }) => settlement.jobId));
  for (const one of ended) cancelUpstream(one, { database, routes: { list: () => options.routes } });
  return claimed;
}

function timeLeft(leftMs: number, { deadlineAt }: Job, nowMs: number) {
  const endsAtDeadline = deadlineAt !== null && deadlineAt - nowMs < leftMs;
  return { leftMs: endsAtDeadline ? deadlineAt - nowMs : leftMs, endsAtDeadline };
}

interface Situation {
  nowMs: number;
  circuits: Map<string, OpenCircuit>;
  paces: Map<string, number>;
  running: readonly RunningCount[];
  mostRunning: MostRunning;
  /** Models on which no new job starts; started jobs go on. */
  paused: ReadonlySet<ModelId>;
  routes: readonly Route[];
  slots: FreeSlots[];
}

async function readSituation(tx: Tx, { routes, watch, limitDefaults }: ClaimOptions): Promise<Situation> {
  const answered = watch.ask();
  const isPaced = routes.some(({ perMinute }) => perMinute !== undefined);
  const [{ nowMs, circuits }, paces, { running, used, paused }, mostRunning] = await Promise.all([
    readCircuits(tx),
    isPaced ? readPaces(tx) : new Map<string, number>(),
    readRunning(tx, routes),
    readMostRunning(tx, limitDefaults),
  ]);
  answered(nowMs);
  return {
    nowMs,
    circuits,
    paces,
    running,
    mostRunning,
    paused,
    routes,
    slots: countFree(routes, { used, circuits, paces, nowMs }),
  };
}

/** Reads the oldest jobs of every account, and more of them only while slots stay free. */
async function decide(
  tx: Tx,
  situation: Situation,
  { limit, jobTimeoutMs, watch, catalogue }: ClaimOptions,
): Promise<{ claims: Claim[]; unroutable: Unroutable[] }> {
  const { routes, circuits, nowMs, running, mostRunning, paused, slots } = situation;
  const free = slots.reduce((sum, slot) => sum + slot.free, 0);
  const shallow = Math.min(free, limit);
  const removed = removedModels(catalogue, routes);
  const stuck = removed.length > 0 ? await listWaitingModels(tx, removed) : [];
  // Skips models with neither a free slot nor an open circuit.
  const useful = [...new Set(routes.map(({ model }) => model))].filter((model) =>
    routes.some(({ id, model: own }) => own === model && (circuits.has(id) || hasSlot(slots, id))),
  );
  const wanted = [...useful, ...stuck];
  // Their jobs would be looked through again and again, as far as it goes.
  const full = accountsAtLimit(running, mostRunning);
  const look = async (each: number) => {
    const waiting = await Promise.all(
      wanted.map((model) =>
        findWaiting(tx, model, { each, onlyBegun: paused.has(model), catalogue, except: full }),
      ),
    );
    const decided = waiting.flat().map((job) => {
      const startedAt = job.startedAt === null ? null : watch.restate(job.startedAt);
      return {
        job,
        decision: decideRoutes({ ...job, startedAt }, routes, { circuits, nowMs, jobTimeoutMs }),
      };
    });
    return { decided, claims: decideClaims(candidatesOf(decided), running, slots, limit, mostRunning) };
  };

  const each = Math.max(leastLook, shallow);
  let found = await look(each);
  const queues = countQueues(found.decided);
  const deep = Math.floor(lookAhead / Math.max(1, queues.length));
  if (found.claims.length < shallow && deep > each && queues.some((count) => count >= each))
    found = await look(deep);
  return { claims: found.claims, unroutable: unroutableOf(found.decided) };
}

function accountsAtLimit(running: readonly RunningCount[], mostRunning: MostRunning): string[] {
  return [...Map.groupBy(running, ({ accountId }) => accountId)].flatMap(([id, own]) => {
    const count = own.reduce((sum, one) => sum + one.count, 0);
    return count >= (mostRunning('account', id) ?? Infinity) ? [id] : [];
  });
}

type Decided = { job: Waiting; decision: RoutesDecision };

/** Models that were removed, whose waiting jobs no route of any worker will ever take. */
function removedModels(catalogue: Catalogue, routes: readonly Route[]): ModelId[] {
  const routed = new Set(routes.map(({ model }) => model));
  const newest = catalogue.newest();
  return newest.flatMap(({ model, definition }) => (definition || routed.has(model) ? [] : [model]));
}

function hasSlot(slots: readonly FreeSlots[], route: string): boolean {
  return slots.some(({ routeId, free }) => routeId === route && free > 0);
}

function candidatesOf(decided: readonly Decided[]): Candidate[] {
  return decided.flatMap(({ job: { id, accountId, keyId, shape }, decision }) =>
    decision.kind === 'run' ? [{ id, accountId, keyId, model: shape.model.id, routes: decision.routes }] : [],
  );
}

/** A job that no route can take: its end, and what it submitted upstream. */
type Unroutable = Submitted & { settlement: Settlement };

function unroutableOf(decided: readonly Decided[]): Unroutable[] {
  return decided.flatMap(({ job: { id, attempt, route, remoteId }, decision }) => {
    if (decision.kind !== 'fail') return [];
    const { error, errorCode } = decision;
    const outcome = { status: 'failed', error, errorCode } as const;
    return [{ settlement: { jobId: id, attempt, worker: null, outcome }, route, remoteId }];
  });
}

/** The number of jobs read for each account and model. */
function countQueues(decided: readonly Decided[]): number[] {
  const queues = Map.groupBy(decided, ({ job: { accountId, shape } }) => `${accountId} ${shape.model.id}`);
  return [...queues.values()].map(({ length }) => length);
}
