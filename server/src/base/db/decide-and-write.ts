import { type Database, Outdated } from './database.ts';
import type { Tx } from './schema.ts';

export interface Deciding<Decision, Written> {
  decide(tx: Tx, isLocked: boolean): Promise<Decision>;
  /** Sends all queries together. If `decide` held no locks, they lock the rows and check the values that it read. */
  write(tx: Tx, decision: Decision): Promise<Written>;
  /** True if the writes may be megabytes. */
  isLong?: boolean;
}

/** Decides without a lock, locks for the write, and decides again under the lock if a value has changed. */
export async function decideAndWrite<Decision, Written>(
  database: Database,
  { decide, write, isLong = false }: Deciding<Decision, Written>,
): Promise<Written> {
  const transaction = isLong ? database.longTransaction : database.transaction;
  if (database.kind === 'postgres') {
    try {
      return await transaction((tx) => decide(tx, false), write);
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
    }
  }
  return transaction((tx) => decide(tx, true), write);
}

/** Runs writes that need no earlier read. Rows are locked for this round trip only. */
export function writeAtOnce<Written>(
  database: Database,
  write: (tx: Tx) => Promise<Written>,
): Promise<Written> {
  return database.transaction(async () => {}, write);
}
