import { type Database, Outdated } from './database.ts';
import type { Tx } from './schema.ts';

export interface Deciding<Decision, Written> {
  decide(tx: Tx, isLocked: boolean): Promise<Decision>;
  /** Makes all of its queries at once. For a decision made without locks, they also take locks and check its values. */
  write(tx: Tx, decision: Decision): Promise<Written>;
  /** True if the writes may be megabytes. */
  isLong?: boolean;
}

/**
 * Decides without a lock, and locks only for the write and the commit, so that no account waits for another's round
 * trips. If a value has changed meanwhile, decides again under the lock.
 */
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
