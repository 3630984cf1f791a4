import { plausibleMicros } from './plausible-micros.ts';

/** What a vendor asks for a million tokens, in units of `reportedCurrency`: so many micro-units for each token. */
export interface TokenPrices {
  textIn: number;
  imageIn: number;
  imageOut: number;
  /** Thoughts included. Absent: the vendor names no price for it. */
  textOut?: number;
  /** Where the vendor, or the calendar of models, says so, and when that was read. */
  source: string;
  read: string;
}

/** The tokens of one answer, each counted once. */
export interface TokenUsage {
  textIn: number;
  imageIn: number;
  imageOut: number;
  textOut: number;
}

/**
 * Exact to the micro-unit: rounded once, at the end. Undefined where something that was used has no price, because a part of a cost
 * would pass for all of it.
 */
export function costOfTokens(
  prices: TokenPrices | undefined,
  usage: TokenUsage | undefined,
): bigint | undefined {
  if (!prices || !usage) return undefined;
  const { textOut = usage.textOut === 0 ? 0 : undefined } = prices;
  if (textOut === undefined) return undefined;
  const inwards = usage.textIn * prices.textIn + usage.imageIn * prices.imageIn;
  const micros = inwards + usage.imageOut * prices.imageOut + usage.textOut * textOut;
  return plausibleMicros(micros);
}
