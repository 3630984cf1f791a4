import type { FreeSlots } from '../routes/free-slots.ts';

/** A job that may be claimed now. */
export interface Candidate {
  id: string;
  accountId: string;
  /** That of its account where it was made in the panel. */
  keyId: string;
  /** Ids of the routes that may take it now, in the order to try. */
  routes: readonly string[];
}

export interface Claim {
  jobId: string;
  routeId: string;
}

/** How many jobs an account or key may have running at once; undefined without a limit. */
export type MostRunning = (kind: 'account' | 'key', id: string) => number | undefined;

const unlimited: MostRunning = () => undefined;

/**
 * Gives free slots to jobs: each slot to the account with the fewest running jobs, then to its oldest job
 * that the slot can serve, while neither the account nor the key has as many running as it may. A job takes the first
 * of its routes with a free slot. Pure.
 *
 * @param running how many jobs each account, and each key, has running
 */
export function decideClaims(
  candidates: readonly Candidate[],
  running: ReadonlyMap<string, number>,
  slots: readonly FreeSlots[],
  limit: number,
  most: MostRunning = unlimited,
): Claim[] {
  const free = new Map(slots.map(({ routeId, free }) => [routeId, free]));
  const queues = queueByAccount(candidates);
  const counts = new Map(running);
  const claims: Claim[] = [];

  while (claims.length < limit) {
    const next = nextJob(queues, counts, free, most);
    if (!next) break;
    const { queue, index, job, routeId } = next;
    queue.splice(index, 1);
    free.set(routeId, (free.get(routeId) ?? 0) - 1);
    for (const id of new Set([job.accountId, job.keyId])) counts.set(id, (counts.get(id) ?? 0) + 1);
    claims.push({ jobId: job.id, routeId });
  }
  return claims;
}

/** The fair order: the account with the fewest running jobs first, then the oldest job. */
export function servesFirst(one: Turn, other: Turn): boolean {
  return one.running === other.running ? one.id < other.id : one.running < other.running;
}

interface Turn {
  /** Jobs of its account that run. */
  running: number;
  /** Of the job; ids sort by age. */
  id: string;
}

function queueByAccount(candidates: readonly Candidate[]): Map<string, Candidate[]> {
  const queues = new Map<string, Candidate[]>();
  for (const candidate of [...candidates].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const queue = queues.get(candidate.accountId);
    if (queue) queue.push(candidate);
    else queues.set(candidate.accountId, [candidate]);
  }
  return queues;
}

type Next = { queue: Candidate[]; index: number; job: Candidate; routeId: string; running: number };

/** The account to serve next, and its oldest job with a free slot. */
function nextJob(
  queues: ReadonlyMap<string, Candidate[]>,
  counts: ReadonlyMap<string, number>,
  free: ReadonlyMap<string, number>,
  most: MostRunning,
): Next | undefined {
  let best: Next | undefined;
  for (const [accountId, queue] of queues) {
    const running = counts.get(accountId) ?? 0;
    if (best && running > best.running) continue;
    if (running >= (most('account', accountId) ?? Infinity)) continue;
    for (const [index, job] of queue.entries()) {
      const routeId = job.routes.find((route) => (free.get(route) ?? 0) > 0);
      if (routeId === undefined || isFull(job, counts, most)) continue;
      if (!best || servesFirst({ running, id: job.id }, { running: best.running, id: best.job.id }))
        best = { queue, index, job, routeId, running };
      break;
    }
  }
  return best;
}

/** Whether its key has as many running as it may. */
function isFull(
  { accountId, keyId }: Candidate,
  counts: ReadonlyMap<string, number>,
  most: MostRunning,
): boolean {
  return keyId !== accountId && (counts.get(keyId) ?? 0) >= (most('key', keyId) ?? Infinity);
}
