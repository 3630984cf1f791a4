import { maxMicros } from '../../money/ledger/money.ts';
import rows from './rates.json' with { type: 'json' };

/** What providers charge by: tokens of text and of images, output images, credits. */
export const rateUnits = ['text_in', 'image_in', 'text_out', 'image_out', 'image', 'credit'] as const;
export type RateUnit = (typeof rateUnits)[number];
export const tokenUnits = ['text_in', 'image_in', 'text_out', 'image_out'] as const;

/** For each unit a decimal amount: of tokens for a million. What is absent has no rate. */
export type Rates = { readonly [Unit in RateUnit]?: string };

/** What an answer used, each once. */
export type Use = { readonly [Unit in RateUnit]?: number };

/** In units of `reportedCurrency`. */
interface Listed {
  /** That name the model so. */
  providers: readonly string[];
  /** By the provider's own names; null: any. */
  models: readonly string[] | null;
  rates: Rates;
  /** Where the vendor says so, or the gateway whose list repeats its prices, and when that was read. */
  source: string;
  gateway?: string;
  read: string;
}

/** What vendors publish. Whoever reads of another rate changes its row. Models whose rates could not be verified are not here. */
export const listed: readonly Listed[] = rows;

/** What one model is charged for at a provider; undefined where nothing is published. */
export function findListed(provider: string, model: string): Rates | undefined {
  const isMeant = ({ providers, models }: Listed) =>
    providers.includes(provider) && (models?.includes(model) ?? true);
  return listed.find(isMeant)?.rates;
}

const pieces: readonly RateUnit[] = ['image', 'credit'];
const microsInUnit = 1_000_000;
// Of one image, and in no currency: own rates are in that of the installation, where an image may cost many thousands.
const mostTokens = 1_000_000;
const mostPieces = 10_000;

/**
 * Exact to the micro-unit: rounded once, at the end. Undefined where nothing has a rate, or something that was used has none, because a
 * part of a cost would pass for all of it; and for what can only be a mistake of the answer.
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
    // A unit of money for a million tokens is a micro-unit for each.
    micros += used * Number(rate) * (isPiece ? microsInUnit : 1);
  }
  return micros <= maxMicros ? BigInt(Math.round(micros)) : undefined;
}
