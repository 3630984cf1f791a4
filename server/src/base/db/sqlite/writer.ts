import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../std/clock.ts';
import { DatabaseUnavailable } from '../database.ts';
import { SqliteCheckpoints } from './checkpoints.ts';
import { SqliteConnection, type Statements } from './connection.ts';
import { isBusy } from './errors.ts';
import { SqliteLog } from './log.ts';
import { SqliteThread } from './thread.ts';

const busyRetryMs = 15;
// Longer than any transaction here takes. A command beside the server that holds the lock for longer is
// broken.
const lockPatienceMs = 10_000;

const begin = { sql: 'begin immediate', parameters: [] };
const commit = { sql: 'commit', parameters: [] };
/** Asked for at every commit, so it is cheap; the other, only where no row was written. */
const countRows = { sql: 'select total_changes() as count', parameters: [] };
/**
 * The schema is not among the counted rows. Rows of other connections may have been read here, and need a sync as
 * well.
 */
const countOthers = {
  sql: `select (select schema_version from pragma_schema_version)
    + (select data_version from pragma_data_version) as count`,
  parameters: [],
};
const rollback = { sql: 'rollback', parameters: [] };
const emptyLog = { sql: 'pragma wal_checkpoint(truncate)', parameters: [] };

/** `long`: in the thread. `loose`: ends before the disk has it. */
export type TransactionKind = 'usual' | 'long' | 'loose';

/**
 * The connection that writes, and another in a thread for transactions that write much. Transactions run one after the
 * other: the next begins while the disk still syncs the previous one, which resolves after its sync.
 */
export class SqliteWriter implements AsyncDisposable {
  #connection: SqliteConnection;
  #thread: SqliteThread;
  /**
   * Pending while the thread commits: other connections may see the commit before this process knows of it.
   */
  #committing: Promise<void> | undefined;
  /** Results of each counting statement at the last commit that ran it. */
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
      // Of two that copy one is refused.
      await this.#checkpoints.ended;
      await alone(async () => this.#emptyLog());
    });
  }

  /** Resolves when the disk has all commits so far; `undefined` when it already has. */
  get synced(): Promise<void> | undefined {
    return this.#committing?.then(() => this.#log.synced) ?? this.#log.synced;
  }

  /** `work` runs its statements on the connection that it is given: the thread's for `long` transactions. */
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
    // A failed sync is reported to everyone who waits for the next one.
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

  /**
   * `immediate`, because a transaction that only later turns into a writer fails at once when another process
   * writes.
   */
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

  /**
   * Skips the sync of a transaction that wrote nothing: most periodic work finds nothing to do, and must not keep a
   * disk awake. Rows it read may still wait for their own sync.
   */
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
    // SQLite has already rolled back after a full disk or a failed write, or never began.
  }
}
