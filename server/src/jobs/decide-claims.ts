import type { ModelId } from '../catalog/models.ts';

/** A job that may be claimed now. */
export interface Candidate {
  id: string;
  accountId: string;
  model: ModelId;
}

export interface FreeSlots {
  routeId: string;
  model: ModelId;
  free: number;
}

export interface Claim {
  jobId: string;
  routeId: string;
}

/**
 * Gives free slots to jobs: each slot to the account with the fewest jobs running, then to the oldest job. Routes fill
 * up in their order. Pure; `candidates` holds at least the oldest `limit` jobs of every account that waits.
 */
export function decideClaims(
  candidates: readonly Candidate[],
  running: ReadonlyMap<string, number>,
  slots: readonly FreeSlots[],
  limit: number,
): Claim[] {
  const free = slots.map((slot) => ({ ...slot }));
  const queues = queueByAccount(candidates);
  const counts = new Map(running);
  const claims: Claim[] = [];

  while (claims.length < limit) {
    const next = nextJob(queues, counts, free);
    if (!next) break;
    const { queue, index, slot } = next;
    const [job] = queue.splice(index, 1);
    if (!job) break;
    slot.free -= 1;
    counts.set(job.accountId, (counts.get(job.accountId) ?? 0) + 1);
    claims.push({ jobId: job.id, routeId: slot.routeId });
  }
  return claims;
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

type Next = { queue: Candidate[]; index: number; slot: FreeSlots; id: string; running: number };

/** The best (account, oldest job with a free slot) of the moment. */
function nextJob(
  queues: ReadonlyMap<string, Candidate[]>,
  counts: ReadonlyMap<string, number>,
  free: FreeSlots[],
): Next | undefined {
  let best: Next | undefined;
  for (const [accountId, queue] of queues) {
    const running = counts.get(accountId) ?? 0;
    if (best && running > best.running) continue;
    for (const [index, { id, model }] of queue.entries()) {
      const slot = free.find((slot) => slot.model === model && slot.free > 0);
      if (!slot) continue;
      if (!best || running < best.running || id < best.id) best = { queue, index, slot, id, running };
      break;
    }
  }
  return best;
}
