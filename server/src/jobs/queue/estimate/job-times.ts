import type { RecentJob } from './queue-state.ts';

/** How long a route's jobs take from their first attempt to their end, in milliseconds. */
export interface JobTimes {
  median: number;
  mean: number;
  p95: number;
  /** The mean remaining time of a job that has run for `ms`. */
  leftAfter(ms: number): number;
}

// Typical times of models, used until the first image is made.
const unknownMs = [5_000, 10_000, 10_000, 15_000, 30_000];
// The number of newest jobs to use. Upstreams are faster at some hours than at others.
const newest = 60;
// With fewer jobs, the slowest one seen says little about how slow jobs can be.
const enough = 20;
const fewFactor = 1.25;
// A job that has run longer than all earlier jobs is expected to take this share of its age more.
const overtimeShare = 0.25;

/** The times of each route. A route without any uses the times of its model, or else of all routes. */
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
