import { readNow } from '../base/db/rows.ts';
import type { Queries } from '../base/db/schema.ts';
import { formatMicros } from '../money/ledger/money.ts';
import type { ModelId } from '../upstream/catalog/models.ts';
import { type ModelDay, sumModelDays } from './margin-store.ts';

const dayMs = 24 * 60 * 60 * 1000;
// A week shows a trend; more would read millions of rows on a busy installation.
const shownDays = 7;

/** Of images of one model. Amounts are decimal, in the currency of prices. */
export interface Margin {
  images: number;
  /** What clients paid. */
  paid: string;
  /** What the images cost whose cost is known; null when there are none. */
  cost: string | null;
  /** What was paid for those images, less their cost. */
  margin: string | null;
  /** Images that nobody knows the cost of. */
  without_cost: number;
}

export interface ModelMargins extends Margin {
  model: ModelId;
  /** UTC, by the time at which the images were asked for; the newest first. */
  days: (Margin & { day: string })[];
}

/** What was earned with each model on each of the last seven days. Models without an image are left out. */
export async function readMargins(queries: Queries): Promise<ModelMargins[]> {
  const today = Math.floor((await readNow(queries)) / dayMs);
  const period = { fromMs: (today - shownDays + 1) * dayMs, toMs: (today + 1) * dayMs };
  const byModel = Map.groupBy(await sumModelDays(queries, period), ({ model }) => model);
  return [...byModel].map(([model, days]) => ({
    model,
    ...present(days),
    days: days
      .toSorted((one, other) => other.day - one.day)
      .map((one) => ({ day: new Date(one.day * dayMs).toISOString().slice(0, 10), ...present([one]) })),
  }));
}

function present(days: readonly ModelDay[]): Margin {
  const count = (name: 'images' | 'costed') => days.reduce((sum, day) => sum + day[name], 0);
  const sum = (name: 'paidMicros' | 'costedPaidMicros' | 'costMicros') =>
    days.reduce((total, day) => total + day[name], 0n);
  const [images, costed, costMicros] = [count('images'), count('costed'), sum('costMicros')];
  return {
    images,
    paid: formatMicros(sum('paidMicros')),
    cost: costed === 0 ? null : formatMicros(costMicros),
    margin: costed === 0 ? null : formatMicros(sum('costedPaidMicros') - costMicros),
    without_cost: images - costed,
  };
}
