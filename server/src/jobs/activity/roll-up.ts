import type { Database } from '../../base/db/database.ts';
import type { Tx } from '../../base/db/schema.ts';
import { countCosts } from '../costs/count-margins-store.ts';
import { countNext, findUncounted } from './roll-up-store.ts';

const accountsAtOnce = 100;

type Step = (work: (tx: Tx, limit: number) => Promise<number>) => Promise<number>;

/** Counts finished jobs in steps, so that creates can run in between. */
export async function rollUp(database: Database, step: Step): Promise<void> {
  for (let more = true; more; ) {
    const accounts = await findUncounted(database.read, accountsAtOnce);
    for (const accountId of accounts) await rollUpAccount(accountId, step);
    more = accounts.length === accountsAtOnce;
  }
  while ((await step(countCosts)) > 0);
}

export async function rollUpAccount(accountId: string, step: Step): Promise<void> {
  while ((await step((tx, limit) => countNext(tx, accountId, limit))) > 0);
}
