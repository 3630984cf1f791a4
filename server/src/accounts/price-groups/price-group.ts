import { maxMicros, parseMicros } from '../../money/ledger/money.ts';
import { type Model, type Resolution, sizingOf } from '../../upstream/catalog/models.ts';

/** A price group in requests and, as JSON, in the database. A period includes its beginning, but not its end. */
export interface PriceGroupDefinition extends Period {
  name: string | null;
  /** "0.8" takes 20 % off the models' prices. */
  factor: string;
  prices: readonly FixedPrice[];
}

export interface FixedPrice extends Period {
  model: string;
  resolution: Resolution;
  /** A decimal amount. */
  price: string;
}

interface Period {
  /** ISO 8601; null for no beginning. */
  from: string | null;
  until: string | null;
}

/** The price of one image, in micro-units. */
export type PriceOf = (model: Model, resolution: Resolution) => bigint;

export const listPrice: PriceOf = (model, resolution) => sizingOf(model, resolution).priceMicros;

export function pricesUnder(group: PriceGroupDefinition): (nowMs: number) => PriceOf {
  const holds = during(group);
  const factor = millionthsOf(group.factor);
  const fixed = Map.groupBy(
    group.prices.map((one) => ({ ...one, micros: millionthsOf(one.price), holds: during(one) })),
    ({ model, resolution }) => `${model} ${resolution}`,
  );
  return (nowMs) => {
    if (!holds(nowMs)) return listPrice;
    return (model, resolution) => {
      const own = fixed.get(`${model.id} ${resolution}`)?.find((one) => one.holds(nowMs));
      return own?.micros ?? multiply(listPrice(model, resolution), factor);
    };
  };
}

const millionth = 1_000_000n;

/** Rounds to the nearest micro-unit, halves up. */
function multiply(micros: bigint, factorMillionths: bigint): bigint {
  const product = (micros * factorMillionths + millionth / 2n) / millionth;
  return product > maxMicros ? maxMicros : product;
}

function millionthsOf(text: string): bigint {
  const millionths = parseMicros(text);
  if (millionths === undefined) throw new Error(`${text} is no price or factor`); // checked before it was written
  return millionths;
}

function during({ from, until }: Period): (nowMs: number) => boolean {
  const begin = from === null ? -Infinity : Date.parse(from);
  const end = until === null ? Infinity : Date.parse(until);
  return (nowMs) => nowMs >= begin && nowMs < end;
}
