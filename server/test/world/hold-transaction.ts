import { sql } from 'kysely';
import type { Tx } from '../../src/base/db/schema.ts';
import { eventually } from '../http/support/requests.ts';
import type { World } from './world.ts';

/** A transaction that has done its work, and keeps its locks until it is ended. */
export function holdTransaction({ app }: World, work: (tx: Tx) => Promise<unknown>) {
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const ended = app.database.transaction(async (tx) => {
    await work(tx);
    begun.resolve();
    await held.promise;
  });
  ended.catch(begun.reject);
  return {
    begun: begun.promise,
    end() {
      held.resolve();
      return ended;
    },
  };
}

/** Resolves once a transaction waits for another's lock; only on PostgreSQL. */
export async function somebodyWaits({ app }: World): Promise<void> {
  const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await eventually(
    async () => (await waiting.execute(app.database.read)).rows.length,
    (count) => count > 0,
  );
}
