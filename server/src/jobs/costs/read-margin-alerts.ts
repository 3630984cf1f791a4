import type { Database } from '../../base/db/database.ts';
import { readNow } from '../../base/db/rows.ts';
import { decideMarginAlerts, type MarginAlert, type SoldModel } from '../../notify/alerts/margin-alerts.ts';
import { dayMs, toDay } from '../read-days.ts';
import { type MarginSums, sumMargins } from './margin-store.ts';

/** Today and yesterday (UTC): at least 24 hours, so that a vendor's change is reported within a day. */
const latelyDays = 2;
/** The number of days before `latelyDays`, for comparison. */
const beforeDays = 28;

export interface MarginAlertDeps {
  database: Pick<Database, 'reports'>;
  /** The rise of a model's cost per image, in percent, above which it is reported. */
  costRisePercent: number;
}

/** Finds models sold below cost, and models whose cost rose too much. */
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
      ) as [SoldModel, SoldModel]; // one result for each query
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
