import { maxMicros } from '../../money/ledger/money.ts';
import rows from './rates.json' with { type: 'json' };

/** Providers charge for tokens of text and of images, output images, model-specific units, and credits. */
export const rateUnits = ['text_in', 'image_in', 'text_out', 'image_out', 'image', 'unit', 'credit'] as const;
export type RateUnit = (typeof rateUnits)[number];
export const tokenUnits = ['text_in', 'image_in', 'text_out', 'image_out'] as const;

/** A decimal amount per unit, or per million tokens. Absent units have no rate. */
export type Rates = { readonly [Unit in RateUnit]?: string };

/** The usage of an answer. Every token and image counts in exactly one unit. */
export type Use = { readonly [Unit in RateUnit]?: number };

/** A published rate, in units of `reportedCurrency`. */
interface Listed {
  providers: readonly string[];
  /** Null for any model. */
  models: readonly string[] | null;
  rates: Rates;
  /** The page of the vendor or gateway, and the date on which it was read. */
  source: string;
  gateway?: string;
  read: string;
}

/** The published rates, without models whose rates could not be verified. */
export const listed: readonly Listed[] = rows;

export function findListed(provider: string, model: string): Rates | undefined {
  const isMeant = ({ providers, models }: Listed) =>
    providers.includes(provider) && (models?.includes(model) ?? true);
  return listed.find(isMeant)?.rates;
}

const pieces: readonly RateUnit[] = ['image', 'unit', 'credit'];
const microsInUnit = 1_000_000;
// Limits for one image. Money has no limit, because an image costs many thousands in some currencies.
const mostTokens = 1_000_000;
const mostPieces = 10_000;

/**
 * Returns undefined for an impossible use, and if a used unit has no rate: the cost of the other units would look like
 * the whole cost.
 */
export function costOfUse(rates: Rates | undefined, use: Use): bigint | undefined {
  if (!rates) return undefined;
  let micros = 0;
  for (const unit of rateUnits) {
    const { [unit]: used = 0 } = use;
    if (used === 0) continue;
    const { [unit]: rate } = rates;
    const isPiece = pieces.includes(unit);
    if (rate === undefined || used < 0 || used > (isPiece ? mostPieces : mostTokens)) return undefined;
    // An amount per million tokens equals the same number of micro-units per token.
    micros += used * Number(rate) * (isPiece ? microsInUnit : 1);
  }
  return micros <= maxMicros ? BigInt(Math.round(micros)) : undefined;
}
