import { type KyselyPlugin, sql } from 'kysely';
import { type Database, transactionGuard } from '../../../src/base/db/database.ts';
import type { Tx } from '../../../src/base/db/schema.ts';

type Change = () => Promise<unknown>;

/**
 * Overtakes each transaction once with another process's change: between the transaction's read and write, or as
 * soon as the query with this text is answered. Continues when the change has ended, or when it waits for one of
 * the transaction's locks.
 */
export function overtakenBy(change: Change, database: Database, after?: string): Database {
  let isOver = false;
  const overtake = async () => {
    if (isOver) return;
    isOver = true;
    await transactionGuard.inside.exit(() => overOrInLine(change(), database));
  };
  const transaction = <T, U>(work: (tx: Tx) => Promise<T>, last?: (tx: Tx, found: T) => Promise<U>) => {
    const overtaken = async (tx: Tx) => {
      if (after !== undefined) return work(tx.withPlugin(onceAnswered(after, overtake)));
      const found = await work(tx);
      if (last) await overtake();
      return found;
    };
    return last ? database.transaction(overtaken, last) : database.transaction(overtaken);
  };
  return { ...database, transaction, looseTransaction: transaction } as Database;
}

export async function isAnyInLine({ read }: Database): Promise<boolean> {
  const { rows } = await sql`select from pg_locks where not granted and locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())`.execute(read);
  return rows.length > 0;
}

/** Waits until the work has ended, or waits for a lock. */
export async function overOrInLine(doing: Promise<unknown>, database: Database): Promise<void> {
  let isOver = false;
  const over = doing.finally(() => (isOver = true));
  over.catch(() => {}); // the caller gets the error
  while (!isOver && !(await isAnyInLine(database)));
  if (isOver) await over;
}

function onceAnswered(text: string, overtake: Change): KyselyPlugin {
  const asked = new WeakSet<object>();
  return {
    transformQuery({ node, queryId }) {
      if (node.kind === 'RawNode' && node.sqlFragments.some((part) => part.includes(text)))
        asked.add(queryId);
      return node;
    },
    async transformResult({ queryId, result }) {
      if (asked.has(queryId)) await overtake();
      return result;
    },
  };
}
