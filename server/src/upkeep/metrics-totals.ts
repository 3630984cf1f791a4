import type { Ending } from './metrics-store.ts';

/**
 * Totals since the installation was made. Kept in the database, because jobs are purged and processes
 * restart.
 */
export interface Totals {
  /** The last event counted. */
  seq: number;
  /** By `[model, route, status, error code]` as JSON. */
  ended: Record<string, number>;
  /** Durations of `done` jobs, by `[model, route]` as JSON. */
  seconds: Record<string, { sum: number; buckets: number[] }>;
}

// Images take from a second to minutes.
const secondBuckets = [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 900];

export const noTotals: Totals = { seq: 0, ended: {}, seconds: {} };

export function addEndings(before: Totals, endings: readonly Ending[]): Totals {
  const totals = structuredClone(before);
  for (const { seq, model, route, status, error_code, ms } of endings) {
    totals.seq = seq;
    const ended = JSON.stringify([model, route ?? '', status, error_code ?? '']);
    totals.ended[ended] = (totals.ended[ended] ?? 0) + 1;
    if (status !== 'done' || ms === null) continue;
    const name = JSON.stringify([model, route ?? '']);
    const known = totals.seconds[name] ?? { sum: 0, buckets: secondBuckets.map(() => 0).concat(0) };
    const at = secondBuckets.findIndex((most) => ms / 1000 <= most);
    const bucket = at < 0 ? secondBuckets.length : at;
    totals.seconds[name] = {
      sum: known.sum + ms / 1000,
      buckets: known.buckets.map((count, index) => (index === bucket ? count + 1 : count)),
    };
  }
  return totals;
}

/** In Prometheus's text format. `prom-client` only counts within its own process. */
export function expose({ ended, seconds }: Totals): string {
  const lines = [
    '# HELP darkroom_jobs_ended_total Jobs that ended, by how they ended and the route of their last attempt.',
    '# TYPE darkroom_jobs_ended_total counter',
  ];
  for (const [name, count] of Object.entries(ended))
    lines.push(
      `darkroom_jobs_ended_total{${labels(['model', 'route', 'status', 'error_code'], name)}} ${count}`,
    );
  lines.push(
    '# HELP darkroom_job_seconds From the start of the first attempt of a job that is done to its end.',
    '# TYPE darkroom_job_seconds histogram',
  );
  for (const [name, { sum, buckets }] of Object.entries(seconds)) {
    const of = labels(['model', 'route'], name);
    let total = 0;
    buckets.forEach((count, index) => {
      total += count;
      lines.push(`darkroom_job_seconds_bucket{le="${secondBuckets[index] ?? '+Inf'}",${of}} ${total}`);
    });
    lines.push(`darkroom_job_seconds_sum{${of}} ${sum}`, `darkroom_job_seconds_count{${of}} ${total}`);
  }
  return `${lines.join('\n')}\n`;
}

function labels(names: readonly string[], values: string): string {
  const texts = JSON.parse(values) as string[]; // written above
  return names.map((name, index) => `${name}=${JSON.stringify(texts[index] ?? '')}`).join(',');
}
