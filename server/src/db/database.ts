import { AsyncLocalStorage } from 'node:async_hooks';
import type { Queries, Tx } from './schema.ts';

export interface Database extends AsyncDisposable {
  readonly kind: 'sqlite' | 'postgres';
  /** Where our connections go, as the driver reads its address; a file has no server. */
  readonly server: { host: string; port: number } | null;
  /** Queries outside any transaction; reads only. Throws when called inside a transaction of the same task. */
  readonly read: Queries;
  /**
   * Runs `work` in one transaction and commits it. A deadlock or a serialization failure runs `work` again, at most
   * `maxTransactionTries` times in all, so `work` must do nothing but queries. Throws when called inside another one.
   *
   * @throws DatabaseUnavailable when the database cannot take the transaction now
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Wakes the listeners of a channel in other processes. A hint: it may be lost, so listeners poll as well. */
  notify(channel: Channel, text?: string): void;
  /**
   * Calls back when another process notifies the channel, and without a text when one may have; returns a function that
   * stops it.
   */
  listen(channel: Channel, callback: (text: string) => void): () => void;
  /** Copies the whole database into a new file, while it is in use; says how many bytes that are. */
  backup(file: string): Promise<number>;
  /** Bytes on disk. */
  size(): Promise<number>;
}

export const channels = ['jobs', 'deliveries', 'finished', 'taken_away', 'abandoned'] as const;
export type Channel = (typeof channels)[number];

export const maxTransactionTries = 3;

/** The database cannot be used at the moment: it is restarting, full, read-only or locked for too long. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
}

/** The database is not one that this program can work with; starting again does not help. */
export class DatabaseRefused extends Error {
  override name = 'DatabaseRefused';
}

/**
 * A query on the root handle inside a transaction would wait for a connection that the transaction holds, or read the
 * state before it; so would a transaction of its own, for ever. The guard makes that mistake an error at once.
 */
export const transactionGuard = {
  inside: new AsyncLocalStorage<true>(),
  run<T>(work: () => Promise<T>): Promise<T> {
    return this.inside.run(true, work);
  },
  assertOutside(): void {
    if (this.inside.getStore()) {
      throw new Error(
        'The root handle is used inside a transaction: pass the transaction to the query instead.',
      );
    }
  },
};
