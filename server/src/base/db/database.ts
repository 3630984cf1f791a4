import { AsyncLocalStorage } from 'node:async_hooks';
import type { Session } from './postgres/session.ts';
import type { Queries, Tx } from './schema.ts';

export interface Database extends AsyncDisposable {
  readonly kind: 'sqlite' | 'postgres';
  /** The database's servers as the driver parsed them; none for a file. */
  readonly servers: readonly { host: string; port: number }[];
  /** Reads outside transactions. Throws if called inside a transaction of the same task. */
  readonly read: Queries;
  /** Like `read`, for lists and figures, which are slow and rare. A replica may answer if it has all commits so far. */
  readonly reports: Queries;
  readonly transaction: RunTransaction;
  /** Reads a text that changes with every write by any process. This is far cheaper than searching for rows. */
  revision(): Promise<string>;
  /** A transaction that writes megabytes. On SQLite it runs in a thread, because its commit would block others. */
  readonly longTransaction: RunTransaction;
  /** A transaction that a power cut may undo. On SQLite it returns before its sync to disk; later reads wait for it. */
  readonly looseTransaction: RunTransaction;
  /** Wakes the channel's listeners in other processes. Notifications can be lost, so listeners also poll. */
  notify(channel: Channel, text?: string): void;
  /** Calls back with an empty text if a notification may have been missed. Returns a function that stops listening. */
  listen(channel: Channel, callback: (text: string) => void): () => void;
  /** Whether this process is elected for work that only one process does. Ask every second to remain elected. */
  isElected(): Promise<boolean>;
  /** The id of this process. No other process on this database ever has it. */
  readonly process: string;
  /** Whether a process is running. A killed process is noticed immediately, unless its whole machine is down. */
  isRunning(process: string): Promise<boolean>;
  /** How many bytes of log the replica is behind; undefined without a replica. @throws the replica's error */
  replicaLag(): Promise<number | undefined>;
  /** Opens a session for changing the schema while other processes use the database. PostgreSQL only. */
  openSession(): Promise<Session>;
  /** Copies all live rows into a new file while the database is in use. Returns the copy's size in bytes. */
  backup(file: string): Promise<number>;
  /** Overwrites deleted data in SQLite's files. Returns false if another connection prevented it; then call again. */
  overwriteDeleted(): Promise<boolean>;
  /** The size on disk, in bytes. */
  size(): Promise<number>;
}

export interface RunTransaction {
  /**
   * Runs `work` in a transaction, and repeats it after a deadlock or a serialization failure, so `work` must only
   * query.
   * @throws Error inside another transaction, DatabaseUnavailable when the database cannot take the transaction now
   */
  <T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * `last` must issue all of its queries without awaiting any: they are sent together with the commit, so that no lock
   * is held during a network round trip.
   */
  <T, U>(work: (tx: Tx) => Promise<T>, last: (tx: Tx, found: T) => Promise<U>): Promise<U>;
}

export const channels = ['jobs', 'deliveries', 'finished', 'taken_away', 'abandoned', 'models'] as const;
export type Channel = (typeof channels)[number];

export const maxTransactionTries = 3;

/** The database cannot be used now: it is restarting, full, read-only, or was locked for too long. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
}

/** The database answers and can be read, but its disk is full. */
export class DatabaseFull extends DatabaseUnavailable {
  override name = 'DatabaseFull';
}

/** This process read the answer too late, because it was busy or had no processor time. */
export class ProcessLate extends DatabaseUnavailable {
  override name = 'ProcessLate';
}

/** A value read without a lock changed before the write. Nothing was written. */
export class Outdated extends Error {
  override name = 'Outdated';
}

/** This program cannot work with the database, even after a restart. */
export class DatabaseRefused extends Error {
  override name = 'DatabaseRefused';
}

/** Throws if a transaction queries the root handle or begins another transaction, instead of waiting for ever. */
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
