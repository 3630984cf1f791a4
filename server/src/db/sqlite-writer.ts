import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery, QueryResult } from 'kysely';
import type { Clock } from '../std/clock.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { isBusy } from './sqlite-errors.ts';

const busyRetryMs = 15;
// Longer than any transaction here takes. A command beside the server that holds the lock for longer is
// broken.
const lockPatienceMs = 10_000;

const begin = { sql: 'begin immediate', parameters: [] };
const commit = { sql: 'commit', parameters: [] };
const rollback = { sql: 'rollback', parameters: [] };

/** The one connection that writes. Transactions use it one after the other. */
export class SqliteWriter implements Disposable {
  #connection: SqliteConnection;
  #tail: Promise<void> = Promise.resolve();

  constructor(file: string, clock: Clock) {
    this.#connection = new SqliteConnection(file, { nowMs: () => clock.nowMs(), readOnly: false });
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#tail;
    const { promise, resolve: release } = Promise.withResolvers<void>();
    this.#tail = promise;
    await before;
    try {
      await this.#begin();
      const result = await work();
      this.#connection.run(commit);
      return result;
    } catch (error) {
      // SQLite may have rolled back by itself after a full disk or a failed write.
      if (this.#connection.database.isTransaction) this.#connection.run(rollback);
      throw error;
    } finally {
      release();
    }
  }

  /** Runs a statement of the current transaction. */
  run<Row>(query: CompiledQuery): QueryResult<Row> {
    return this.#connection.run(query);
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
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
}
