import { type Database, Outdated } from '../../base/db/database.ts';
import type { Tx } from '../../base/db/schema.ts';
import type { ClockWatch } from '../../base/std/clock-watch.ts';
import type { LimitDefaults } from '../../money/limits/limit.ts';
import type { Catalogue } from '../../upstream/catalog/catalogue.ts';
import type { Model, ModelId } from '../../upstream/catalog/models.ts';
import { cancelUpstream, type Submitted } from '../cancel/cancel-upstream.ts';
import { noteLeftBehind } from '../costs/attempt-cost-store.ts';
import type { Job } from '../job.ts';
import { readCircuits, readPaces, takePace } from '../routes/circuit-store.ts';
import type { OpenCircuit } from '../routes/decide-circuit.ts';
import { decideRoutes, type RoutesDecision } from '../routes/decide-routes.ts';
import { countFree, type FreeSlots, slotsOf } from '../routes/free-slots.ts';
import { takenPaces } from '../routes/pace.ts';
import type { Route } from '../routes/route.ts';
import type { RouteCost } from '../routes/route-costs.ts';
import { settleJobsIfUnchanged } from '../settle-jobs.ts';
import type { Settlement } from '../settlement-store.ts';
import {
  assertRoom,
  findWaiting,
  isAnyClaimable,
  leaseJobs,
  listWaitingModels,
  lockClaims,
  readRunning,
  type Waiting,
} from './claim-store.ts';
import type { Claim, MostRunning, RunningCount } from './decide-claims.ts';
import { decideWithSuspects, type Held, type Suspectable } from './decide-with-suspects.ts';
import { readMostRunning } from './most-running.ts';
import { roomFor } from './room.ts';
import { companyOf, isSuspect, lossesOf } from './suspects.ts';
import { listRunningWorkers } from './worker-store.ts';

export interface ClaimOptions {
  worker: string;
  routes: readonly Route[];
  /** The recent costs of routes, for models that choose by cost. */
  costs: ReadonlyMap<string, RouteCost>;
  catalogue: Catalogue;
  /** The number of further jobs that this worker can take. */
  limit: number;
  /** The jobs of this worker, and how many may run together. */
  held: Held;
  slots: number;
  leaseMs: number;
  jobTimeoutMs: number;
  limitDefaults: LimitDefaults;
  /** Watches the database's clock, so that a jump forward does not use up a job's time. */
  watch: ClockWatch;
  /** Called with jobs that ended because no route can ever take them. */
  onSettled: (jobIds: string[]) => void;
}

export interface ClaimedJob extends Job {
  /** The model in the version under which the job was accepted. */
  accepted: Model;
  /** Set if this job probes a half-open circuit: the number of times in a row that the circuit was opened. */
  probeOf: number | undefined;
  /** The time that the job had left when it was claimed, by the database's clock. */
  leftMs: number;
  /** Whether the client's deadline comes before our time limit. */
  endsAtDeadline: boolean;
}

// The maximum number of jobs to look past because their routes are full. Each takes 10 µs of processor time (measured).
const lookAhead = 2_000;
// The minimum number of jobs to read even if no slot is free, so that jobs that no route can take are found and fail.
const leastLook = 8;
const maxUnroutable = 200;

// The maximum number of tries if other workers take the jobs first. By then, enough workers are claiming.
const maxTries = 5;

/**
 * Leases jobs, and fails those that no route can ever take. Raising `attempt` fences off an earlier worker. Decides
 * without a lock: if two workers decide at the same time, the second tries again. Attempts begin before their claim is
 * on disk, which is safe: a power cut that undoes the claim also ends the attempt.
 */
export async function claimJobs(database: Database, options: ClaimOptions): Promise<ClaimedJob[]> {
  for (let tries = 0; tries < maxTries && options.limit > 0; tries += 1) {
    if (!(await isAnyClaimable(database.read))) break;
    const found = await lookAndTake(database, options);
    if (!found) continue;
    const { jobs, claims, unroutable } = found;
    await failUnroutable(database, unroutable, options);
    if (jobs.length > 0 || claims.length === 0) return describe(database, found, options);
  }
  return [];
}

/** Returns undefined if other workers have left no room for these claims. */
async function lookAndTake(database: Database, options: ClaimOptions): Promise<Taken | undefined> {
  try {
    return await database.looseTransaction(
      async (tx) => {
        const situation = await readSituation(tx, options);
        return { situation, ...(await decide(tx, situation, options)) };
      },
      async (tx, decided) => ({ ...decided, jobs: await take(tx, decided, options) }),
    );
  } catch (error) {
    if (error instanceof Outdated) return undefined;
    throw error;
  }
}

interface Look {
  situation: Situation;
  candidates: Suspectable[];
  claims: Claim[];
  unroutable: Unroutable[];
  /** The jobs whose last attempt left a request at an upstream. */
  submitted: ReadonlyMap<string, Pick<Waiting, 'attempt' | 'route'>>;
}

type Taken = Look & { jobs: Job[] };

/** Queries sent together run in order, so the lock comes first. */
async function take(
  tx: Tx,
  { situation, claims, candidates, submitted }: Look,
  options: ClaimOptions,
): Promise<Job[]> {
  if (claims.length === 0) return [];
  const paces = takenPaces(options.routes, claims, situation);
  const room = roomFor(claims, candidates, situation);
  const before = paces.map(({ route }) => ({ route, busy_until: situation.paces.get(route) ?? 0 }));
  // Usually empty, so that a claim has no further statement.
  const leftBehind = claims.flatMap(({ jobId, routeId }) => {
    const last = submitted.get(jobId);
    return last && last.route !== routeId ? [{ jobId, attempt: last.attempt }] : [];
  });
  const [, , jobs] = await Promise.all([
    lockClaims(tx),
    assertRoom(tx, room, before),
    leaseJobs(tx, claims, options),
    noteLeftBehind(tx, leftBehind),
    ...paces.map(({ route, busyUntil }) => takePace(tx, route, busyUntil)),
  ]);
  return jobs;
}

async function failUnroutable(
  database: Database,
  unroutable: readonly Unroutable[],
  options: ClaimOptions,
): Promise<void> {
  const ending = unroutable.slice(0, maxUnroutable);
  if (ending.length === 0) return;
  const settled = await database.transaction((tx) =>
    settleJobsIfUnchanged(
      tx,
      ending.map(({ settlement }) => settlement),
    ),
  );
  const ids = new Set(settled.map(({ id }) => id));
  const ended = ending.filter(({ settlement }) => ids.has(settlement.jobId));
  if (ended.length > 0) options.onSettled([...ids]);
  for (const one of ended) cancelUpstream(one, { database, routes: { list: () => options.routes } });
}

async function describe(
  database: Database,
  { jobs, situation: { circuits, nowMs } }: Taken,
  { catalogue, jobTimeoutMs, watch }: ClaimOptions,
): Promise<ClaimedJob[]> {
  const passedMs = ({ startedAt }: Job) => (startedAt === null ? 0 : nowMs - watch.restate(startedAt));
  return Promise.all(
    jobs.map(async (job) => ({
      ...job,
      accepted: await catalogue.at(database.read, job.model, job.modelVersion),
      probeOf: circuits.get(job.route ?? '')?.failures,
      ...timeLeft(jobTimeoutMs - Math.max(0, passedMs(job)), job, nowMs),
    })),
  );
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
  paused: ReadonlySet<ModelId>;
  /** Models with a waiting job. `removed` are models that no longer exist. */
  waiting: ReadonlySet<ModelId>;
  removed: readonly ModelId[];
  routes: readonly Route[];
  /** The number of slots of each route, free or not. */
  slots: ReadonlyMap<string, number>;
  free: FreeSlots[];
}

async function readSituation(
  tx: Tx,
  { routes, watch, limitDefaults, catalogue }: ClaimOptions,
): Promise<Situation> {
  const answered = watch.ask();
  const isPaced = routes.some(({ perMinute }) => perMinute !== undefined);
  const removed = removedModels(catalogue, routes);
  const models = new Set([...routes.map(({ model }) => model), ...removed]);
  const [{ nowMs, circuits }, paces, { running, used, paused }, mostRunning, waiting] = await Promise.all([
    readCircuits(tx),
    isPaced ? readPaces(tx) : new Map<string, number>(),
    readRunning(tx, routes),
    readMostRunning(tx, limitDefaults),
    listWaitingModels(tx, [...models]),
  ]);
  answered(nowMs);
  const slots = new Map(routes.map((route) => [route.id, slotsOf(route, { circuits, nowMs })]));
  return {
    nowMs,
    circuits,
    paces,
    running,
    mostRunning,
    paused,
    waiting: new Set(waiting),
    removed,
    routes,
    slots,
    free: countFree(routes, { used, circuits, paces, nowMs }),
  };
}

/** Decides claims from the oldest jobs of every account. Reads more only while slots are free. */
async function decide(
  tx: Tx,
  situation: Situation,
  { limit, jobTimeoutMs, watch, catalogue, costs, worker, held, slots: workerSlots }: ClaimOptions,
): Promise<Omit<Look, 'situation'>> {
  const { routes, circuits, nowMs, running, mostRunning, paused, waiting, removed, free: slots } = situation;
  const free = slots.reduce((sum, slot) => sum + slot.free, 0);
  const shallow = Math.min(free, limit);
  // Skips models whose routes have neither a free slot nor an open circuit.
  const useful = [...new Set(routes.map(({ model }) => model))].filter((model) =>
    routes.some(({ id, model: own }) => own === model && (circuits.has(id) || hasSlot(slots, id))),
  );
  const wanted = [...useful, ...removed].filter((model) => waiting.has(model));
  // Skips accounts at their limit, whose whole queues would otherwise be read repeatedly.
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
        decision: decideRoutes({ ...job, startedAt }, routes, { circuits, costs, nowMs, jobTimeoutMs }),
      };
    });
    const candidates = candidatesOf(decided, workerSlots);
    const workers = candidates.some(isSuspect) ? await listRunningWorkers(tx) : [];
    const among = { ...situation, worker, held, workers: workers.map(({ worker }) => worker) };
    return { decided, candidates, claims: decideWithSuspects(candidates, among, limit) };
  };

  const each = Math.max(leastLook, shallow);
  let found = await look(each);
  const queues = countQueues(found.decided);
  const deep = Math.floor(lookAhead / Math.max(1, queues.length));
  if (found.claims.length < shallow && deep > each && queues.some((count) => count >= each))
    found = await look(deep);
  const { candidates, claims, decided } = found;
  const submitted = new Map(
    decided.flatMap(({ job }) => (job.remoteId === null ? [] : [[job.id, job] as const])),
  );
  return { candidates, claims, unroutable: unroutableOf(decided), submitted };
}

function accountsAtLimit(running: readonly RunningCount[], mostRunning: MostRunning): string[] {
  return [...Map.groupBy(running, ({ accountId }) => accountId)].flatMap(([id, own]) => {
    const count = own.reduce((sum, one) => sum + one.count, 0);
    return count >= (mostRunning('account', id) ?? Infinity) ? [id] : [];
  });
}

type Decided = { job: Waiting; decision: RoutesDecision };

/** The removed models, whose waiting jobs no worker's route will ever take. */
function removedModels(catalogue: Catalogue, routes: readonly Route[]): ModelId[] {
  const routed = new Set(routes.map(({ model }) => model));
  const newest = catalogue.newest();
  return newest.flatMap(({ model, definition }) => (definition || routed.has(model) ? [] : [model]));
}

function hasSlot(slots: readonly FreeSlots[], route: string): boolean {
  return slots.some(({ routeId, free }) => routeId === route && free > 0);
}

function candidatesOf(decided: readonly Decided[], workerSlots: number): Suspectable[] {
  return decided.flatMap(({ job: { id, accountId, keyId, shape, failures, inBatch }, decision }) => {
    if (decision.kind !== 'run') return [];
    const suspicion = { company: companyOf(failures, workerSlots), losses: lossesOf(failures) };
    return [{ id, accountId, keyId, model: shape.model.id, routes: decision.routes, inBatch, ...suspicion }];
  });
}

type Unroutable = Submitted & { settlement: Settlement };

function unroutableOf(decided: readonly Decided[]): Unroutable[] {
  return decided.flatMap(({ job: { id, attempt, route, remoteId }, decision }) => {
    if (decision.kind !== 'fail') return [];
    const { error, errorCode } = decision;
    const outcome = { status: 'failed', error, errorCode } as const;
    return [{ settlement: { jobId: id, attempt, worker: null, outcome }, route, remoteId }];
  });
}

function countQueues(decided: readonly Decided[]): number[] {
  const queues = Map.groupBy(decided, ({ job: { accountId, shape } }) => `${accountId} ${shape.model.id}`);
  return [...queues.values()].map(({ length }) => length);
}
