import type { Database } from '../../base/db/database.ts';
import { readNow } from '../../base/db/rows.ts';
import { decideMarginAlerts, type MarginAlert, type SoldModel } from '../../notify/alerts/margin-alerts.ts';
import { dayMs, toDay } from '../read-days.ts';
import { type MarginSums, sumMargins } from './margin-store.ts';

/** Today and yesterday, UTC: at least a day, and what a vendor changed is told within one. */
const latelyDays = 2;
/** Days that today and yesterday are compared with. */
const beforeDays = 28;

export interface MarginAlertDeps {
  database: Pick<Database, 'reports'>;
  /** The rise of a model's cost per image that is not reported, in percent. */
  costRisePercent: number;
}

/** Models that are sold below their cost, or whose cost has risen by more than may be, by their names. */
export async function readMarginAlerts({
  database: { reports },
  costRisePercent,
}: MarginAlertDeps): Promise<MarginAlert[]> {
  const last = Math.floor((await readNow(reports)) / dayMs);
  const first = last - latelyDays - beforeDays + 1;
  const sums = await sumMargins(reports, { first, last, by: ['model', 'day'] });
  const since = toDay(last - latelyDays + 1);
  return [...Map.groupBy(sums, ({ groups: [model = ''] }) => model)]
    .sort(([one], [other]) => one.localeCompare(other))
    .flatMap(([model, days]) => {
      const [lately, before] = [true, false].map((isLate) =>
        soldOn(days.filter(({ groups: [, day = ''] }) => day >= since === isLate)),
      ) as [SoldModel, SoldModel]; // one for each
      return decideMarginAlerts(model, { lately, before }, costRisePercent);
    });
}

function soldOn(days: readonly MarginSums[]): SoldModel {
  const sold = { images: 0, costed: 0, revenueMicros: 0n, costMicros: 0n };
  for (const { images, uncosted, revenueMicros, costMicros } of days) {
    sold.images += images;
    sold.costed += images - uncosted;
    sold.revenueMicros += revenueMicros;
    sold.costMicros += costMicros;
  }
  return sold;
}
