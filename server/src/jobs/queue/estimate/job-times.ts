import type { RecentJob } from './queue-state.ts';

/** How long a route's jobs take from the first attempt to the end, in milliseconds. */
export interface JobTimes {
  median: number;
  mean: number;
  p95: number;
  /** The mean remaining time of a job that has run for `ms`. */
  leftAfter(ms: number): number;
}

// Typical times of models, for use until the first image.
const unknownMs = [5_000, 10_000, 10_000, 15_000, 30_000];
// The number of newest jobs to use. Older ones may mislead, because upstreams are faster at some hours than at others.
const newest = 60;
// The number of jobs below which the slowest of them says little about slow jobs.
const enough = 20;
const fewFactor = 1.25;
// The remaining time of a job that has run longer than all earlier ones, as a share of its age.
const overtimeShare = 0.25;

/** The times of each route. A route without times uses those of its model, or else of all routes. */
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
