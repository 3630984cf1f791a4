import type { RecentJob } from './queue-state.ts';

/** How long jobs of a route take from their first attempt to their end, in milliseconds. */
export interface JobTimes {
  median: number;
  mean: number;
  p95: number;
  /** The mean time that a job has left after it has run for `ms`. */
  leftAfter(ms: number): number;
}

// Typical times of models, until a first image was made.
const unknownMs = [5_000, 10_000, 10_000, 15_000, 30_000];
// Upstreams are faster at some hours than at others.
const newest = 60;
// With fewer, the slowest that was seen says little about the slowest that there are.
const enough = 20;
const fewFactor = 1.25;
// A job that takes longer than all before it is expected to take this part of its age longer.
const overtimeShare = 0.25;

/** Times of each route; a route without any uses those of its model, else of all. */
export function timesByRoute(
  recent: readonly RecentJob[],
  routes: readonly { id: string; model: string }[],
): Map<string, JobTimes> {
  const byRoute = Map.groupBy(recent, ({ route }) => route);
  const byModel = Map.groupBy(recent, ({ model }) => model);
  return new Map(
    routes.map(({ id, model }) => {
      const known = byRoute.get(id) ?? byModel.get(model) ?? recent;
      const times = known
        .slice(0, newest)
        .map(({ startedAt, finishedAt }) => Math.max(1, finishedAt - startedAt));
      return [id, jobTimes(times.length > 0 ? times : unknownMs)];
    }),
  );
}

function jobTimes(times: readonly number[]): JobTimes {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return {
    median: at(0.5),
    mean: meanOf(sorted),
    p95: at(0.95) * (sorted.length < enough ? fewFactor : 1),
    leftAfter(ms) {
      const longer = sorted.filter((time) => time > ms);
      return longer.length > 0 ? meanOf(longer) - ms : ms * overtimeShare;
    },
  };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
