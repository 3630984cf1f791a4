import type { Clock } from '../../std/clock.ts';
import type { SqliteConnection } from './connection.ts';
import { SqliteThread } from './thread.ts';

/** 16 MB, which keeps the log small. */
const checkpointPages = 4_000;

const copy = { sql: 'pragma wal_checkpoint(passive)', parameters: [] };
const lookAtLog = { sql: 'pragma wal_checkpoint(noop)', parameters: [] };

interface Log {
  log: number;
  checkpointed: number;
}

/** Copies the log into the database file in a thread. SQLite's own copy blocks the event loop for 25 ms every 16 MB. */
export class SqliteCheckpoints implements AsyncDisposable {
  #thread: SqliteThread;
  #connection: SqliteConnection;
  #alone: (work: () => Promise<void>) => Promise<void>;
  #underWay: Promise<void> | undefined;
  /** Pages that the last attempt could not copy, because the disk is full or a reader still needs the old pages. */
  #left = 0;

  /** `alone` runs work while no transaction writes. */
  constructor(
    file: string,
    { clock, connection }: { clock: Clock; connection: SqliteConnection },
    alone: (work: () => Promise<void>) => Promise<void>,
  ) {
    this.#thread = new SqliteThread(file, clock);
    this.#connection = connection;
    this.#alone = alone;
  }

  get ended(): Promise<void> | undefined {
    return this.#underWay;
  }

  /** Must be called after every commit, before the next transaction begins. */
  committed(): void {
    if (this.#underWay) return;
    const pages = this.#pagesToCopy();
    this.#left = Math.min(this.#left, pages);
    if (pages - this.#left < checkpointPages) return;
    this.#underWay = this.#copy(pages).finally(() => {
      this.#underWay = undefined;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#underWay;
    await this.#thread[Symbol.asyncDispose]();
  }

  /** Copies most of the log while others write. Writers wait for the rest: only a full copy restarts the log. */
  async #copy(pages: number): Promise<void> {
    this.#left = pages;
    try {
      await this.#thread.run(copy);
      await this.#alone(async () => {
        this.#left = pagesLeft((await this.#thread.run<Log>(copy)).rows[0]);
      });
    } catch {
      // Pages that were not copied are safe in the log, and later commits try again.
    }
  }

  #pagesToCopy(): number {
    try {
      return pagesLeft(this.#connection.run<Log>(lookAtLog).rows[0]);
    } catch {
      return 0; // another process is changing it; the next commit checks again
    }
  }
}

function pagesLeft(found: Log | undefined): number {
  return found ? found.log - found.checkpointed : 0;
}
