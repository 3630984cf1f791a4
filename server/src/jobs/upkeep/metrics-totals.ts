import {
  type Family,
  nothingObserved,
  type Observed,
  observe,
  samplesOf,
} from '../../base/metrics/metric-text.ts';
import type { Ending } from './metrics-store.ts';

/** Totals since the installation's start, stored because jobs are purged and processes restart. */
export interface Totals {
  seq: number;
  /** The number of ended jobs. The keys are `[model, route, status, error code]` as JSON. */
  ended: Record<string, number>;
  /** Durations of `done` jobs. The keys are `[model, route]` as JSON. */
  seconds: Record<string, Observed>;
}

// Images take from a second to minutes.
const secondBounds = [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 900];

export const noTotals: Totals = { seq: 0, ended: {}, seconds: {} };

export function addEndings(before: Totals, endings: readonly Ending[]): Totals {
  const totals = structuredClone(before);
  for (const { seq, model, route, status, error_code, ms } of endings) {
    totals.seq = seq;
    const ended = JSON.stringify([model, route ?? '', status, error_code ?? '']);
    totals.ended[ended] = (totals.ended[ended] ?? 0) + 1;
    if (status !== 'done' || ms === null) continue;
    const name = JSON.stringify([model, route ?? '']);
    const seconds = totals.seconds[name] ?? nothingObserved(secondBounds);
    totals.seconds[name] = seconds;
    observe(seconds, secondBounds, ms / 1000);
  }
  return totals;
}

export function familiesOf({ ended, seconds }: Totals): Family[] {
  return [
    {
      name: 'darkroom_jobs_ended_total',
      help: 'Ended jobs, by outcome and the route of their last attempt.',
      type: 'counter',
      samples: Object.entries(ended).map(([name, value]) => ({
        labels: labelsOf(['model', 'route', 'status', 'error_code'], name),
        value,
      })),
    },
    {
      name: 'darkroom_job_seconds',
      help: 'Time from the start of the first attempt to the end of a successful job.',
      type: 'histogram',
      samples: Object.entries(seconds).flatMap(([name, observed]) =>
        samplesOf(observed, secondBounds, labelsOf(['model', 'route'], name)),
      ),
    },
  ];
}

function labelsOf(names: readonly string[], values: string): [string, string][] {
  const texts = JSON.parse(values) as string[]; // `Totals` describes the keys
  return names.map((name, index) => [name, texts[index] ?? '']);
}
