import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../std/clock.ts';
import { DatabaseUnavailable } from '../database.ts';
import { SqliteCheckpoints } from './checkpoints.ts';
import { SqliteConnection, type Statements } from './connection.ts';
import { isBusy } from './errors.ts';
import { SqliteLog } from './log.ts';
import { SqliteThread } from './thread.ts';

const busyRetryMs = 15;
// The longest wait for the lock, longer than any of our transactions. A command that holds it for longer is broken.
const lockPatienceMs = 10_000;

const begin = { sql: 'begin immediate', parameters: [] };
const commit = { sql: 'commit', parameters: [] };
/** Counts written rows. Runs at every commit, so it must be cheap. `countOthers` runs only if this finds none. */
const countRows = { sql: 'select total_changes() as count', parameters: [] };
/** Detects what `countRows` misses: schema changes, and rows that other connections wrote, which need our sync too. */
const countOthers = {
  sql: `select (select schema_version from pragma_schema_version)
    + (select data_version from pragma_data_version) as count`,
  parameters: [],
};
const rollback = { sql: 'rollback', parameters: [] };
const emptyLog = { sql: 'pragma wal_checkpoint(truncate)', parameters: [] };

/** `long` runs in the thread. `loose` ends before the disk has the commit. */
export type TransactionKind = 'usual' | 'long' | 'loose';

/** Runs one transaction after the other. Each resolves after its sync, while the next is already running. */
export class SqliteWriter implements AsyncDisposable {
  #connection: SqliteConnection;
  #thread: SqliteThread;
  /** Pending while the thread commits. Meanwhile, other connections may already see the commit. */
  #committing: Promise<void> | undefined;
  /** The result of each counting statement when a commit last ran it. */
  readonly #counts = new Map<typeof countRows, number | undefined>();
  #log: SqliteLog;
  #checkpoints: SqliteCheckpoints;
  #tail: Promise<void> = Promise.resolve();

  constructor(file: string, clock: Clock) {
    this.#connection = new SqliteConnection(file, { nowMs: () => clock.nowMs(), readOnly: false });
    const alone = <T>(work: () => Promise<T>) => this.#inTurn(work);
    this.#thread = new SqliteThread(file, clock);
    this.#checkpoints = new SqliteCheckpoints(file, { clock, connection: this.#connection }, alone);
    this.#log = new SqliteLog(file, async () => {
      // SQLite allows only one checkpoint at a time.
      await this.#checkpoints.ended;
      await alone(async () => this.#emptyLog());
    });
  }

  get synced(): Promise<void> | undefined {
    return this.#committing?.then(() => this.#log.synced) ?? this.#log.synced;
  }

  /** `work` runs its statements on the connection that it gets, which is the thread's for `long` transactions. */
  async transaction<T>(work: (on: Statements) => Promise<T>, kind: TransactionKind): Promise<T> {
    const long = kind === 'long';
    const on = long ? this.#thread : this.#connection;
    const { found, synced } = await this.#inTurn(async () => {
      try {
        await this.#begin(on);
        const found = await work(on);
        const { synced } = long ? await this.#commitInThread() : this.#commit();
        return { found, synced };
      } catch (error) {
        await rollBack(on);
        throw error;
      }
    });
    // A loose transaction ignores this error, because callers that wait for the next sync get it too.
    if (kind === 'loose') synced.catch(() => undefined);
    else await synced;
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#log[Symbol.asyncDispose]();
    await this.#checkpoints[Symbol.asyncDispose]();
    await this.#thread[Symbol.asyncDispose]();
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

  /** Begins as a writer. A reader would fail at its first write if another process is writing. */
  async #begin(on: Statements): Promise<void> {
    for (const deadline = performance.now() + lockPatienceMs; ; ) {
      try {
        await on.run(begin);
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error;
        await sleep(busyRetryMs);
      }
    }
  }

  /** Skips the sync if nothing was written, so that periodic work does not keep a disk awake. */
  #commit(): { synced: Promise<void> } {
    const mayHaveWritten = this.#isNew(countRows) || this.#isNew(countOthers);
    this.#connection.run(commit);
    return mayHaveWritten ? this.#committed() : { synced: this.#log.synced ?? Promise.resolve() };
  }

  #isNew(count: typeof countRows): boolean {
    const [found] = this.#connection.run<{ count: number }>(count).rows;
    const isNew = found?.count !== this.#counts.get(count);
    this.#counts.set(count, found?.count);
    return isNew;
  }

  #committed(): { synced: Promise<void> } {
    const synced = this.#log.sync();
    this.#checkpoints.committed();
    return { synced };
  }

  async #commitInThread(): Promise<{ synced: Promise<void> }> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#committing = promise;
    try {
      await this.#thread.run(commit);
      return this.#committed();
    } finally {
      this.#committing = undefined;
      resolve();
    }
  }

  #emptyLog(): void {
    const [left] = this.#connection.run<{ busy: number }>(emptyLog).rows;
    if (left?.busy !== 0) throw new DatabaseUnavailable('The disk did not keep what was written.');
  }
}

async function rollBack(on: Statements): Promise<void> {
  try {
    await on.run(rollback);
  } catch {
    // SQLite has already rolled back after a full disk or a failed write, or the transaction never began.
  }
}
