import { createHash } from 'node:crypto';
import type { FreeSlots } from '../routes/free-slots.ts';
import {
  type Candidate,
  type Claim,
  decideClaims,
  type MostRunning,
  type RunningCount,
} from './decide-claims.ts';
import { suspectGoesFirst } from './line-order.ts';
import { isSuspect } from './suspects.ts';

/** A claimable job. `company` is the maximum number of jobs that its worker may run together. */
export interface Suspectable extends Candidate {
  company: number;
  /** The number of workers that the job has lost. */
  losses: number;
}

export interface Held {
  jobs: number;
  /** The smallest `company` of these jobs; infinite if none is a suspect. */
  company: number;
}

export interface Situation {
  running: readonly RunningCount[];
  free: readonly FreeSlots[];
  mostRunning: MostRunning;
  worker: string;
  held: Held;
  /** The running workers of all processes, read only if there are suspects. */
  workers: readonly string[];
}

/**
 * Decides claims. Suspects, which have lost at least two workers, run apart from other jobs. An idle worker takes
 * either kind, by turns. A worker with suspects takes only suspects. Each suspect belongs to one worker, which claims
 * nothing until it is idle, while other workers leave a slot free on the suspect's route. Pure.
 */
export function decideWithSuspects(
  candidates: readonly Suspectable[],
  situation: Situation,
  limit: number,
): Claim[] {
  const { held } = situation;
  const decide = (some: readonly Suspectable[], most: number) =>
    decideClaims(some, situation.running, situation.free, most, situation.mostRunning);
  const suspects = candidates.filter(isSuspect);
  const others = candidates.filter((one) => !isSuspect(one));
  if (suspects.length === 0) return isSuspect(held) ? [] : decide(others, limit);
  if (isSuspect(held) || held.jobs === 0) {
    const together = decideTogether(suspects, held, limit, decide);
    const usual = decide(others, limit);
    const [suspect] = nextOf(suspects, together);
    const [other] = usual;
    if (!other || (suspect && suspectGoesFirst(suspect, other.jobId))) return together;
    return isSuspect(held) ? [] : usual;
  }
  const byOwner = Map.groupBy(suspects, ({ id }) => ownerOf(id, [...situation.workers, situation.worker]));
  const own = byOwner.get(situation.worker) ?? [];
  if (decide(own, 1).length > 0) return [];
  byOwner.delete(situation.worker);
  const next = [...byOwner.values()].flatMap((theirs) => nextOf(theirs, decide(theirs, 1)));
  const left = new Set(next.map(({ id }) => id));
  return decide([...others, ...next], limit + next.length)
    .filter(({ jobId }) => !left.has(jobId))
    .slice(0, limit);
}

/**
 * Claims suspects that can run together. Those with the fewest losses go first, because otherwise an outside cause
 * would always hit the oldest suspects.
 */
function decideTogether(
  suspects: readonly Suspectable[],
  held: Held,
  limit: number,
  decide: (some: readonly Suspectable[], most: number) => Claim[],
): Claim[] {
  const byLosses = [...Map.groupBy(suspects, ({ losses }) => losses)].sort(([one], [other]) => one - other);
  for (const [, level] of byLosses) {
    const company = Math.min(held.company, ...level.map((one) => one.company));
    if (decide(level, 1).length > 0) return decide(level, Math.min(limit, Math.max(0, company - held.jobs)));
  }
  return [];
}

function nextOf(suspects: readonly Suspectable[], claims: readonly Claim[]): Suspectable[] {
  return suspects.filter(({ id }) => id === claims[0]?.jobId);
}

/** The worker that makes room for this suspect if none is idle. All processes choose the same one. */
function ownerOf(jobId: string, workers: readonly string[]): string {
  const draws = workers.map((worker) => ({ worker, drawn: drawOf(jobId, worker) }));
  return draws.reduce((best, one) => (one.drawn > best.drawn ? one : best)).worker;
}

function drawOf(jobId: string, worker: string): string {
  return createHash('sha1').update(`${jobId} ${worker}`).digest('hex');
}
