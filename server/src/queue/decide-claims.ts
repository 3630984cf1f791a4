import type { ModelId } from '../catalog/models.ts';
import type { FreeSlots } from '../routes/free-slots.ts';

/** A job that may be claimed now. */
export interface Candidate {
  id: string;
  accountId: string;
  /** That of its account where it was made in the panel. */
  keyId: string;
  model: ModelId;
  /** Ids of the routes that may take it now, in the order to try. */
  routes: readonly string[];
}

/** How many jobs of a model an account has running that were made with a key. */
export interface RunningCount extends Pick<Candidate, 'accountId' | 'keyId' | 'model'> {
  count: number;
}

export interface Claim {
  jobId: string;
  routeId: string;
}

/** How many jobs an account or key may have running at once; undefined without a limit. */
export type MostRunning = (kind: 'account' | 'key', id: string) => number | undefined;

const unlimited: MostRunning = () => undefined;

/**
 * Gives free slots to jobs: each slot to the account with the fewest running jobs of the model, then to its oldest job
 * that the slot can serve, while neither the account nor the key has as many running as it may. A job takes the first
 * of its routes with a free slot. Pure.
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
    const { line, index, job, routeId } = next;
    line.splice(index, 1);
    free.set(routeId, (free.get(routeId) ?? 0) - 1);
    count(counts, job, 1);
    claims.push({ jobId: job.id, routeId });
  }
  return claims;
}

/**
 * The fair order: the account with the fewest running jobs of the model first, then the oldest job. Those of other
 * models do not count: they take none of its slots, and whoever uses two models would never get a turn where both have
 * long queues.
 */
export function servesFirst(one: Turn, other: Turn): boolean {
  return one.running === other.running ? one.id < other.id : one.running < other.running;
}

interface Turn {
  /** Jobs of its account and its model that run. */
  running: number;
  /** Of the job; ids sort by age. */
  id: string;
}

/** Counts for the account and the key, whose limits hold over all models, and for the line. */
function count(counts: Map<string, number>, job: Omit<RunningCount, 'count'>, jobs: number): void {
  for (const name of new Set([job.accountId, job.keyId, lineName(job)]))
    counts.set(name, (counts.get(name) ?? 0) + jobs);
}

function lineName({ accountId, model }: Pick<Candidate, 'accountId' | 'model'>): string {
  return `${accountId} ${model}`;
}

/** The jobs of each account that wait for a model, oldest first. */
function linesOf(candidates: readonly Candidate[]): Map<string, Candidate[]> {
  return Map.groupBy(
    candidates.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    lineName,
  );
}

type Next = { line: Candidate[]; index: number; job: Candidate; routeId: string; running: number };

/** The line to serve next, and its oldest job with a free slot. */
function nextJob(
  lines: ReadonlyMap<string, Candidate[]>,
  counts: ReadonlyMap<string, number>,
  free: ReadonlyMap<string, number>,
  most: MostRunning,
): Next | undefined {
  let best: Next | undefined;
  for (const [name, line] of lines) {
    const running = counts.get(name) ?? 0;
    if (best && running > best.running) continue;
    for (const [index, job] of line.entries()) {
      const routeId = job.routes.find((route) => (free.get(route) ?? 0) > 0);
      if (routeId === undefined || isFull(job, counts, most)) continue;
      if (!best || servesFirst({ running, id: job.id }, { running: best.running, id: best.job.id }))
        best = { line, index, job, routeId, running };
      break;
    }
  }
  return best;
}

/** Whether its account or its key has as many running as it may. */
function isFull(
  { accountId, keyId }: Candidate,
  counts: ReadonlyMap<string, number>,
  most: MostRunning,
): boolean {
  const isAtLimit = (kind: 'account' | 'key', id: string) =>
    (counts.get(id) ?? 0) >= (most(kind, id) ?? Infinity);
  return isAtLimit('account', accountId) || (keyId !== accountId && isAtLimit('key', keyId));
}
