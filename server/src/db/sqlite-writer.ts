import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../std/clock.ts';
import { type Answer, SqliteConnection, type Statement } from './sqlite-connection.ts';
import { isBusy } from './sqlite-errors.ts';
import { SqliteThread } from './sqlite-thread.ts';

const busyRetryMs = 15;
// Longer than any transaction of ours; a command beside the server that holds the lock longer is broken.
const lockPatienceMs = 10_000;
// An idle service writes now and then and wants no thread, which takes 18 MB. One whose event loop spends this share of a
// second on writing, most of it waiting for the disk, serves its requests better with the writes elsewhere.
const windowMs = 1_000;
const busyMs = 150;

const begin = { sql: 'begin immediate', parameters: [] };
const commit = { sql: 'commit', parameters: [] };
const rollback = { sql: 'rollback', parameters: [] };

/** The one connection that writes: transactions take it in turn. Moves to a thread of its own when there is much to write. */
export class SqliteWriter implements AsyncDisposable {
  #file: string;
  #clock: Clock;
  #connection: SqliteConnection | SqliteThread;
  #moved: Promise<void> | undefined;
  #tail: Promise<void> = Promise.resolve();
  #spentMs = 0;
  #windowEndsAt = 0;

  constructor(file: string, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
    this.#connection = new SqliteConnection(file, { nowMs: () => clock.nowMs(), readOnly: false });
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    const release = await this.#takeTurn();
    try {
      await this.#begin();
      try {
        const result = await work();
        await this.run(commit);
        return result;
      } catch (error) {
        // A full disk or a failed write may have rolled back already.
        await this.run(rollback).catch(() => {});
        throw error;
      }
    } finally {
      release();
      if (this.#isBusy()) this.#moved ??= this.#move().catch(() => {}); // without a thread it goes on as before
    }
  }

  /** For statements of the transaction whose turn it is. */
  async run(statement: Statement): Promise<Answer> {
    if (this.#connection instanceof SqliteThread) return this.#connection.run(statement);
    const startedAt = performance.now();
    try {
      return this.#connection.run(statement);
    } finally {
      this.#spentMs += performance.now() - startedAt;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#moved;
    await this.#takeTurn();
    await this.#connection[Symbol.asyncDispose]();
  }

  async #takeTurn(): Promise<() => void> {
    const before = this.#tail;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tail = promise;
    await before;
    return resolve;
  }

  /** `immediate`: a transaction that only later turns into a writer fails at once when another process writes. */
  async #begin(): Promise<void> {
    for (const deadline = performance.now() + lockPatienceMs; ; ) {
      try {
        await this.run(begin);
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error;
        await sleep(busyRetryMs);
      }
    }
  }

  #isBusy(): boolean {
    const now = performance.now();
    if (now < this.#windowEndsAt) return this.#spentMs > busyMs;
    this.#spentMs = 0;
    this.#windowEndsAt = now + windowMs;
    return false;
  }

  async #move(): Promise<void> {
    const thread = await SqliteThread.start(this.#file, this.#clock);
    const release = await this.#takeTurn();
    await this.#connection[Symbol.asyncDispose]();
    this.#connection = thread;
    release();
  }
}
