import type { Database } from '../../base/db/database.ts';
import type { Changes } from '../../base/db/open-changes.ts';
import { listOwnRates, ratesRevision } from './own-rate-store.ts';
import { costOfUse, findListed, type Rates, type Use } from './rates.ts';

/** A cost by the operator's own rate, in the installation's currency, or else by the vendor's published rate. */
export interface BookedCost {
  micros: bigint;
  isOwn: boolean;
}

export interface RateBook {
  costOf(provider: string, model: string, used: Use): BookedCost | undefined;
}

/** Opens the rates and follows changes. Operators' rates take precedence over vendors' published rates. */
export async function openRateBook(database: Database, changes: Changes): Promise<RateBook> {
  let book = bookOf(new Map());
  await changes.follow({
    revision: ratesRevision,
    async read() {
      const newest = (await listOwnRates(database.read)).filter(({ isNewest }) => isNewest);
      book = bookOf(
        new Map(
          newest.flatMap(({ provider, model, rates }) => (rates ? [[keyOf(provider, model), rates]] : [])),
        ),
      );
    },
  });
  return { costOf: (...asked) => book.costOf(...asked) };
}

export function bookOf(own: ReadonlyMap<string, Rates>): RateBook {
  return {
    costOf(provider, model, used) {
      const rates = own.get(keyOf(provider, model));
      const micros = costOfUse(rates ?? findListed(provider, model), used);
      return micros === undefined ? undefined : { micros, isOwn: rates !== undefined };
    },
  };
}

function keyOf(provider: string, model: string): string {
  return `${provider} ${model}`;
}
