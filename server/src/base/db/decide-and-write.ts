import { type Database, Outdated } from './database.ts';
import type { Tx } from './schema.ts';

/** A decision, and whether everything it depends on was locked. */
export interface Deciding<Decision, Written> {
  decide(tx: Tx, isLocked: boolean): Promise<Decision>;
  /**
   * Makes all of its queries at once. If the decision was made without locks, the queries take them and assert that the
   * decision is still right.
   */
  write(tx: Tx, decision: Decision): Promise<Written>;
  /** True if the writes may be megabytes. */
  isLong?: boolean;
}

/**
 * Decides from values read without a lock, and locks only together with the writes and the commit, so that no account
 * waits for another's round trip. If a value has changed meanwhile, decides again under the lock. SQLite has only one
 * writer anyway.
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
