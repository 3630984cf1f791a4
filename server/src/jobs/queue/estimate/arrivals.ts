import { msOfId } from '../../../base/std/ids.ts';
import type { QueueState, RecentJob } from './queue-state.ts';

export interface Arrivals {
  accountId: string;
  model: string;
  everyMs: number;
  /** The time until the first expected job. */
  firstMs: number;
}

const windowMs = 20 * 60_000;
const minuteMs = 60_000;

/** Predicts arrivals from the last minutes. A burst counts only up to what the account's other minutes make likely. */
export function expectArrivals({ nowMs, recent, running, lines }: QueueState): Arrivals[] {
  const oldest = recent.at(-1)?.finishedAt ?? nowMs;
  const since = Math.max(nowMs - windowMs, oldest);
  const minutes = Math.ceil((nowMs - since) / minuteMs);
  if (minutes < 2) return [];
  const counts = new Map<string, { accountId: string; model: string; byMinute: number[] }>();
  const note = ({ accountId, model }: Pick<RecentJob, 'accountId' | 'model'>, at: number, count = 1) => {
    if (at < since) return;
    const name = `${accountId} ${model}`;
    const known = counts.get(name) ?? { accountId, model, byMinute: Array<number>(minutes).fill(0) };
    counts.set(name, known);
    const minute = Math.min(minutes - 1, Math.floor((at - since) / minuteMs));
    known.byMinute[minute] = (known.byMinute[minute] ?? 0) + count;
  };
  for (const job of recent) note(job, job.createdAt);
  for (const job of running) note(job, job.createdAt);
  for (const line of lines)
    for (const [index, { rank, id }] of line.marks.entries())
      note(line, msOfId(id), rank - (line.marks[index - 1]?.rank ?? 0));
  return [...counts.values()].map(({ accountId, model, byMinute }, index) => {
    const sum = byMinute.reduce((before, count) => before + count, 0);
    const busiest = Math.max(...byMinute);
    const others = (sum - busiest) / (minutes - 1);
    const steady = sum - busiest + Math.min(busiest, others + 3 * Math.sqrt(others) + 1);
    const everyMs = (minutes * minuteMs) / steady;
    return { accountId, model, everyMs, firstMs: everyMs * phaseOf(index) };
  });
}

/** The share of an interval that is left until an account's next job: unknown, so spread evenly over accounts. */
function phaseOf(index: number): number {
  return ((index + 0.5) * goldenRatio) % 1;
}
const goldenRatio = (Math.sqrt(5) - 1) / 2;
