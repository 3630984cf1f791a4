import type { Database } from '../db/database.ts';
import type { Tx } from '../db/schema.ts';
import { type Actor, type AuditEntry, insertAuditEntry } from './audit-store.ts';

/**
 * A database whose transactions also write who did what, so that no change that an operation makes through it is
 * without its line, and no line without its change. `describe` gets what the transaction returns; undefined when it
 * changed nothing that matters.
 */
export function audited<Result>(
  database: Database,
  actor: Actor,
  describe: (result: Result) => AuditEntry | undefined,
): Database {
  return new Proxy(database, {
    get(target, property) {
      if (property !== 'transaction') return Reflect.get(target, property, target);
      return <T>(work: (tx: Tx) => Promise<T>) =>
        target.transaction(async (tx) => {
          const result = await work(tx);
          const entry = describe(result as unknown as Result); // the operation that is given this database returns it
          if (entry) await insertAuditEntry(tx, actor, entry);
          return result;
        });
    },
  });
}
