import type { Database } from '../../base/db/database.ts';
import type { Changes } from '../../base/db/open-changes.ts';
import type { Queries } from '../../base/db/schema.ts';
import type { Clock } from '../../base/std/clock.ts';
import { listPrice, type PriceOf, pricesUnder } from './price-group.ts';
import { listGroupedAccounts, listPriceGroups, pricesRevision } from './price-group-store.ts';

/** Each account's prices, at most a second old. Reading them takes no query. */
export interface Prices {
  /** Returns an account's prices. A request must call this only once, so that its prices cannot change within it. */
  of(accountId: string): PriceOf;
}

/** Keeps the accounts' groups in memory and follows changes. Each account in a group takes a hundred bytes. */
export async function openPriceBook(
  database: Database,
  { changes, clock }: { changes: Changes; clock: Clock },
): Promise<Prices> {
  let snapshot = createPrices(new Map(), clock);
  await changes.follow({
    revision: pricesRevision,
    async read() {
      snapshot = await readPrices(database.read, clock);
    },
  });
  return { of: (accountId) => snapshot.of(accountId) };
}

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
