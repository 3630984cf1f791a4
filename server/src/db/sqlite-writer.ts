import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery, QueryResult } from 'kysely';
import type { Clock } from '../std/clock.ts';
import { DatabaseUnavailable } from './database.ts';
import { SqliteCheckpoints } from './sqlite-checkpoints.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { isBusy } from './sqlite-errors.ts';
import { SqliteLog } from './sqlite-log.ts';

const busyRetryMs = 15;
// Longer than any transaction here takes. A command beside the server that holds the lock for longer is
// broken.
const lockPatienceMs = 10_000;

const begin = { sql: 'begin immediate', parameters: [] };
const commit = { sql: 'commit', parameters: [] };
const rollback = { sql: 'rollback', parameters: [] };
const emptyLog = { sql: 'pragma wal_checkpoint(truncate)', parameters: [] };

/**
 * The one connection that writes. Transactions use it one after the other: the next begins while the disk still writes
 * the log of the one before, which ends when that is done.
 */
export class SqliteWriter implements AsyncDisposable {
  #connection: SqliteConnection;
  #log: SqliteLog;
  #checkpoints: SqliteCheckpoints;
  #tail: Promise<void> = Promise.resolve();

  constructor(file: string, clock: Clock) {
    this.#connection = new SqliteConnection(file, { nowMs: () => clock.nowMs(), readOnly: false });
    const alone = <T>(work: () => Promise<T>) => this.#inTurn(work);
    this.#checkpoints = new SqliteCheckpoints(file, this.#connection, alone);
    this.#log = new SqliteLog(file, async () => {
      // Of two that copy one is refused.
      await this.#checkpoints.ended;
      await alone(async () => this.#emptyLog());
    });
  }

  /** Until the disk has all that was committed so far; `undefined` when it has. */
  get synced(): Promise<void> | undefined {
    return this.#log.synced;
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    let synced: Promise<void> | undefined;
    const result = await this.#inTurn(async () => {
      try {
        await this.#begin();
        const found = await work();
        this.#connection.run(commit);
        synced = this.#log.sync();
        this.#checkpoints.committed();
        return found;
      } catch (error) {
        // SQLite may have rolled back by itself after a full disk or a failed write.
        if (this.#connection.database.isTransaction) this.#connection.run(rollback);
        throw error;
      }
    });
    await synced;
    return result;
  }

  /** Runs a statement of the current transaction. */
  run<Row>(query: CompiledQuery): QueryResult<Row> {
    return this.#connection.run(query);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#log[Symbol.asyncDispose]();
    await this.#checkpoints[Symbol.asyncDispose]();
    this.#connection[Symbol.dispose]();
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#tail;
    const { promise, resolve: release } = Promise.withResolvers<void>();
    this.#tail = promise;
    await before;
    try {
      return await work();
    } finally {
      release();
    }
  }

  /**
   * `immediate`, because a transaction that only later turns into a writer fails at once when another process
   * writes.
   */
  async #begin(): Promise<void> {
    for (const deadline = performance.now() + lockPatienceMs; ; ) {
      try {
        this.#connection.run(begin);
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error;
        await sleep(busyRetryMs);
      }
    }
  }

  #emptyLog(): void {
    const [left] = this.#connection.run<{ busy: number }>(emptyLog).rows;
    if (left?.busy !== 0) throw new DatabaseUnavailable('The disk did not keep what was written.');
  }
}
