import { Worker } from 'node:worker_threads';
import type { SqliteConnection } from './sqlite-connection.ts';

/** 16 MB: the log stays small. */
const checkpointPages = 4_000;

const lookAtLog = { sql: 'pragma wal_checkpoint(noop)', parameters: [] };

/** What SQLite says of a log, in pages. */
interface Log {
  log: number;
  checkpointed: number;
}

/**
 * Copies what the log holds into the database file, in a thread: within a commit, as SQLite does it by itself, the event loop would stand
 * still for 25 ms and two syncs of the disk at every 16 MB, and for 50 ms after a batch of ten thousand.
 */
export class SqliteCheckpoints implements AsyncDisposable {
  #file: string;
  #connection: SqliteConnection;
  #alone: (work: () => Promise<void>) => Promise<void>;
  #underWay: Promise<void> | undefined;
  /** Started when it is needed first, and kept: to start one takes longer than most copies. */
  #thread: Worker | undefined;
  #said: PromiseWithResolvers<Log> | undefined;
  /** Pages that could not be copied at the last attempt, because somebody reads what was there before them, or for lack of space. */
  #left = 0;

  /** `alone` runs work while nobody writes. */
  constructor(
    file: string,
    connection: SqliteConnection,
    alone: (work: () => Promise<void>) => Promise<void>,
  ) {
    this.#file = file;
    this.#connection = connection;
    this.#alone = alone;
  }

  /** Until what is being copied has been. */
  get ended(): Promise<void> | undefined {
    return this.#underWay;
  }

  /** To be called after every commit, before the next transaction begins. */
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
    await this.#thread?.terminate();
  }

  /** Most of it while others write. The log begins anew only when all of it is copied, so they wait for what they wrote meanwhile. */
  async #copy(pages: number): Promise<void> {
    this.#left = pages;
    try {
      await this.#copyOnce();
      await this.#alone(async () => {
        this.#left = pagesLeft(await this.#copyOnce());
      });
    } catch {
      // What could not be copied stays in the log, which keeps it as well; later commits try again.
    }
  }

  async #copyOnce(): Promise<Log> {
    this.#said = Promise.withResolvers();
    this.#thread ??= this.#start();
    // A command waits for it to the end, and a process does not live for it.
    this.#thread.ref();
    this.#thread.postMessage('copy');
    try {
      return await this.#said.promise;
    } finally {
      this.#thread?.unref();
    }
  }

  #start(): Worker {
    // Node's own options are for the program that the process was started with.
    const thread = new Worker(new URL('./sqlite-checkpoint-thread.ts', import.meta.url), {
      execArgv: [],
      workerData: this.#file,
    });
    // Those who write would wait for it for ever.
    const gone = (cause: unknown) => {
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      this.#said?.reject(cause);
    };
    return thread
      .on('message', (log: Log) => this.#said?.resolve(log))
      .on('error', gone)
      .on('exit', gone);
  }

  #pagesToCopy(): number {
    try {
      return pagesLeft(this.#connection.run<Log>(lookAtLog).rows[0]);
    } catch {
      return 0; // another process is changing it; the next commit looks again
    }
  }
}

function pagesLeft(found: Log | undefined): number {
  return found ? found.log - found.checkpointed : 0;
}
