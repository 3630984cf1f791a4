import type { Database } from '../../base/db/database.ts';
import type { Queries } from '../../base/db/schema.ts';
import type { Clock } from '../../base/std/clock.ts';
import type { Log } from '../../base/std/log.ts';
import { startLoop } from '../../base/std/loop.ts';
import { listPrice, type PriceOf, pricesUnder } from './price-group.ts';
import { listGroupedAccounts, listPriceGroups, readPriceRevision } from './price-group-store.ts';

/** What each account pays, as this process last read it: at most a second ago, without a query. */
export interface Prices {
  /** Of now. All that belongs to one request takes its prices from one answer. */
  of(accountId: string): PriceOf;
}

export interface PriceBook extends Prices, AsyncDisposable {
  /** Reads changes at once; resolves when this process has them. */
  refresh(): Promise<void>;
}

// Changes are seen within a second, however they were made.
const lookEveryMs = 500;

/** Reads who is in which group, and follows changes until disposed. A hundred bytes for each account that is in one. */
export async function openPriceBook(
  database: Database,
  { clock, log }: { clock: Clock; log: Log },
): Promise<PriceBook> {
  let revision = '';
  let snapshot = createPrices(new Map(), clock);

  let looked: Promise<void> = Promise.resolve();

  /** In turn: one that began before a change and ended after another would put back what it read. */
  function look(): Promise<void> {
    const looking = looked.then(async () => {
      const read = await readPriceRevision(database.read);
      if (read === revision) return;
      snapshot = await readPrices(database.read, clock);
      revision = read;
    });
    looked = looking.catch(() => {}); // whoever asked is told
    return looking;
  }

  await look();
  const loop = startLoop({
    async runOnce() {
      await look();
      return false;
    },
    everyMs: lookEveryMs,
    onError: (error) => log.warn('prices.not_read', { reason: String(error) }),
  });
  const stopListening = database.listen('models', () => loop.wake());
  return {
    of: (accountId) => snapshot.of(accountId),
    refresh: look,
    async [Symbol.asyncDispose]() {
      stopListening();
      await loop[Symbol.asyncDispose]();
    },
  };
}

/** Reads them once, for a command. */
export async function readPrices(queries: Queries, clock: Clock): Promise<Prices> {
  const groups = new Map(
    (await listPriceGroups(queries)).map(({ id, definition }) => [id, pricesUnder(definition)]),
  );
  const byAccount = new Map<string, (nowMs: number) => PriceOf>();
  for (const { id, price_group: group } of await listGroupedAccounts(queries)) {
    const prices = groups.get(group ?? '');
    if (prices) byAccount.set(id, prices);
  }
  return createPrices(byAccount, clock);
}

function createPrices(byAccount: ReadonlyMap<string, (nowMs: number) => PriceOf>, clock: Clock): Prices {
  return { of: (accountId) => byAccount.get(accountId)?.(clock.nowMs()) ?? listPrice };
}
