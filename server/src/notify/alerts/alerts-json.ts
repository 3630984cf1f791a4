import { toIsoOrNull } from '../../base/std/iso-time.ts';
import { invalidField } from '../../errors.ts';
import { formatMicros, parseMicros } from '../../money/ledger/money.ts';
import { endOf, type Limit, wordOf } from '../../money/limits/limit.ts';
import type { Alerts, SpentLimit } from './alerts.ts';
import type { MarginAlert } from './margin-alerts.ts';

/** Omitted fields keep their values. */
export interface AlertsJson {
  /** The balance below which an alert is sent, as a decimal amount; null for never. */
  balance_low?: string | null;
  /** The percentage of a spend limit, 1 to 100, at which an alert is sent; null for never. */
  spend_near_percent?: number | null;
}

export function presentAlerts({ balanceMicros, spendPercent }: Alerts): Required<AlertsJson> {
  return {
    balance_low: balanceMicros === null ? null : formatMicros(balanceMicros),
    spend_near_percent: spendPercent,
  };
}

export function presentSpent(
  account: { id: string; name: string },
  { subject, used, most, ...limit }: Limit & { most: bigint },
): SpentLimit {
  const isOfKey = subject.kind === 'key';
  return {
    ...{ account_id: account.id, account_name: account.name },
    ...{ of: isOfKey ? 'key' : 'account', key_id: isOfKey ? subject.id : null, limit: wordOf[limit.meter] },
    ...{ used: formatMicros(used), most: formatMicros(most), resets_at: toIsoOrNull(endOf(limit)) },
  };
}

export function presentMarginAlert({ model, alert, images, ...amounts }: MarginAlert) {
  const { revenueMicros, costMicros, costBeforeMicros } = amounts;
  return {
    ...{ model, alert, images },
    revenue_per_image: formatMicros(revenueMicros),
    cost_per_image: formatMicros(costMicros),
    cost_before: costBeforeMicros === null ? null : formatMicros(costBeforeMicros),
  };
}

export function readAlertChanges({
  balance_low: low,
  spend_near_percent: share,
}: AlertsJson): Partial<Alerts> {
  return {
    ...(low !== undefined && { balanceMicros: low === null ? null : readAmount(low) }),
    ...(share !== undefined && { spendPercent: share === null ? null : readPercent(share) }),
  };
}

function readAmount(text: string): bigint {
  const micros = parseMicros(text);
  if (micros !== undefined && micros > 0n) return micros;
  throw invalidField('/balance_low', 'must be an amount above zero such as 10 or 0.50.');
}

function readPercent(share: number): number {
  if (Number.isInteger(share) && share >= 1 && share <= 100) return share;
  throw invalidField('/spend_near_percent', 'must be a whole number from 1 to 100.');
}
