import type { ModelId } from '../../upstream/catalog/models.ts';
import type { FreeSlots } from '../routes/free-slots.ts';
import { batchGoesFirst } from './line-order.ts';

export interface Candidate {
  id: string;
  accountId: string;
  /** The id of the job's key. A job from the panel has the panel key of its account. */
  keyId: string;
  model: ModelId;
  /** The ids of the routes that can take the job now, in order. */
  routes: readonly string[];
  inBatch?: boolean;
}

export interface RunningCount extends Pick<Candidate, 'accountId' | 'keyId' | 'model'> {
  count: number;
}

export interface Claim {
  jobId: string;
  routeId: string;
}

/** The maximum number of jobs that an account or key may run concurrently; undefined for no limit. */
export type MostRunning = (kind: 'account' | 'key', id: string) => number | undefined;

const unlimited: MostRunning = () => undefined;

/**
 * Gives each free slot to the account with the fewest running jobs of the model, and within this account to the oldest
 * job that can run. `batchGoesFirst` decides when a batch job takes precedence over others. A job takes its first route
 * with a free slot. Pure.
 */
export function decideClaims(
  candidates: readonly Candidate[],
  running: readonly RunningCount[],
  slots: readonly FreeSlots[],
  limit: number,
  most: MostRunning = unlimited,
): Claim[] {
  const free = new Map(slots.map(({ routeId, free }) => [routeId, free]));
  const lines = linesOf(candidates);
  const counts = new Map<string, number>();
  for (const one of running) count(counts, one, one.count);
  const claims: Claim[] = [];

  while (claims.length < limit) {
    const next = nextJob(lines, counts, free, most);
    if (!next) break;
    const { job, routeId } = next;
    next.line.splice(next.line.indexOf(job), 1);
    free.set(routeId, (free.get(routeId) ?? 0) - 1);
    count(counts, job, 1);
    claims.push({ jobId: job.id, routeId });
  }
  return claims;
}

/**
 * The fair order. Only running jobs of this model count, because otherwise an account with long queues for two models
 * would never get its turn.
 */
export function servesFirst(one: Turn, other: Turn): boolean {
  return one.running === other.running ? one.id < other.id : one.running < other.running;
}

interface Turn {
  /** The number of running jobs of the account and model. */
  running: number;
  /** The id of the account's oldest waiting job of the model. Ids sort by age. */
  id: string;
}

/** Counts a job for its account's queue, and for its account and key, whose limits cover all models. */
function count(counts: Map<string, number>, job: Omit<RunningCount, 'count'>, jobs: number): void {
  for (const name of new Set([job.accountId, job.keyId, lineName(job)]))
    counts.set(name, (counts.get(name) ?? 0) + jobs);
}

function lineName({ accountId, model }: Pick<Candidate, 'accountId' | 'model'>): string {
  return `${accountId} ${model}`;
}

function linesOf(candidates: readonly Candidate[]): Map<string, Candidate[]> {
  return Map.groupBy(
    candidates.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    lineName,
  );
}

type Next = { line: Candidate[]; job: Candidate; routeId: string };

function nextJob(
  lines: ReadonlyMap<string, Candidate[]>,
  counts: ReadonlyMap<string, number>,
  free: ReadonlyMap<string, number>,
  most: MostRunning,
): Next | undefined {
  const routeOf = (job: Candidate) =>
    isFull(job, counts, most) ? undefined : job.routes.find((route) => (free.get(route) ?? 0) > 0);
  let best: { turn: Turn; line: Candidate[] } | undefined;
  for (const [name, line] of lines) {
    const running = counts.get(name) ?? 0;
    if (best && running > best.turn.running) continue;
    const oldest = line.find((job) => routeOf(job) !== undefined);
    if (!oldest) continue;
    const turn = { running, id: oldest.id };
    if (!best || servesFirst(turn, best.turn)) best = { turn, line };
  }
  if (!best) return undefined;
  const isAble = (one: Candidate) => routeOf(one) !== undefined;
  const batched = best.line.find((one) => one.inBatch && isAble(one));
  const other = best.line.find((one) => !one.inBatch && isAble(one));
  const job = batched && (!other || batchGoesFirst(batched.id, other.id)) ? batched : other;
  const routeId = job && routeOf(job);
  return job && routeId !== undefined ? { line: best.line, job, routeId } : undefined;
}

function isFull(
  { accountId, keyId }: Candidate,
  counts: ReadonlyMap<string, number>,
  most: MostRunning,
): boolean {
  const isAtLimit = (kind: 'account' | 'key', id: string) =>
    (counts.get(id) ?? 0) >= (most(kind, id) ?? Infinity);
  return isAtLimit('account', accountId) || (keyId !== accountId && isAtLimit('key', keyId));
}
