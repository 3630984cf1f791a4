import { toIso } from '../../base/std/iso-time.ts';
import { formatMicros } from '../../money/ledger/money.ts';
import type { KnownCost } from './attempt-cost-store.ts';

export function presentCost(
  { attempt, endedAt, route, provider, upstreamModel, billed, ...cost }: KnownCost,
  currency: string,
) {
  return {
    ...{ attempt, route, provider, billed },
    ended_at: toIso(endedAt),
    upstream_model: upstreamModel,
    cost: billed === 'not_billed' ? formatMicros(0n) : amountOf(cost.costMicros),
    possible_cost: billed === 'unknown' ? amountOf(cost.possibleMicros) : null,
    currency: cost.currency ?? currency,
    usage: cost.usage === null ? null : (JSON.parse(cost.usage) as Record<string, unknown>), // only `noteCosts` writes it
  };
}

function amountOf(micros: bigint | null): string | null {
  return micros === null ? null : formatMicros(micros);
}
