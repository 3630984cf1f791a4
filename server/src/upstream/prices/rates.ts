import { maxMicros } from '../../money/ledger/money.ts';
import rows from './rates.json' with { type: 'json' };

/** The units that providers charge for: tokens of text and of images, output images, units of the model's own, credits. */
export const rateUnits = ['text_in', 'image_in', 'text_out', 'image_out', 'image', 'unit', 'credit'] as const;
export type RateUnit = (typeof rateUnits)[number];
export const tokenUnits = ['text_in', 'image_in', 'text_out', 'image_out'] as const;

/** A decimal amount for each unit: of tokens for a million. Absent units have no rate. */
export type Rates = { readonly [Unit in RateUnit]?: string };

/** The usage of an answer: every token and image counts in one unit. */
export type Use = { readonly [Unit in RateUnit]?: number };

/** A published rate, in units of `reportedCurrency`. */
interface Listed {
  /** The providers that use these names of models. */
  providers: readonly string[];
  /** The provider's own names of the models; null: any. */
  models: readonly string[] | null;
  rates: Rates;
  /** The page of the vendor, or of the gateway that lists its prices, and the date of reading it. */
  source: string;
  gateway?: string;
  read: string;
}

/**
 * The published rates. Change a row when its vendor changes the rate. Models whose rates could not be verified are
 * missing.
 */
export const listed: readonly Listed[] = rows;

/** Finds the published rates of a model at a provider; undefined if there are none. */
export function findListed(provider: string, model: string): Rates | undefined {
  const isMeant = ({ providers, models }: Listed) =>
    providers.includes(provider) && (models?.includes(model) ?? true);
  return listed.find(isMeant)?.rates;
}

const pieces: readonly RateUnit[] = ['image', 'unit', 'credit'];
const microsInUnit = 1_000_000;
// Of one image, and in no currency: own rates are in that of the installation, where an image may cost many thousands.
const mostTokens = 1_000_000;
const mostPieces = 10_000;

/**
 * Computes a cost, exact to the micro-unit: rounded once, at the end. Undefined if nothing used has a rate, or if some
 * of it has none, because a partial cost would pass for the whole; and for a use that can only be a mistake in the
 * answer.
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
