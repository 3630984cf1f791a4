import * as fs from 'node:fs';
import { promisify } from 'node:util';

const datasync = promisify(fs.fdatasync);

/** SQLite's write-ahead log. Commits during one sync share the next sync. Syncs do not block the event loop. */
export class SqliteLog implements AsyncDisposable {
  #path: string;
  #file: number | undefined;
  #emptyLog: () => Promise<void>;
  #current: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #mayHaveHoles = false;

  /** `emptyLog` moves the contents of the log into the database file and syncs it. */
  constructor(databaseFile: string, emptyLog: () => Promise<void>) {
    this.#path = `${databaseFile}-wal`;
    this.#emptyLog = emptyLog;
  }

  /** Resolves when the disk has all commits so far; `undefined` if it has them already. */
  get synced(): Promise<void> | undefined {
    if (this.#mayHaveHoles && !this.#current) return this.sync();
    return this.#next ?? this.#current;
  }

  /** Must be called at every commit. Resolves when the disk has the commit. */
  sync(): Promise<void> {
    if (!this.#current && !this.#next) return this.#start();
    this.#next ??= Promise.allSettled([this.#current]).then(() => this.#start());
    return this.#next;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([this.synced]);
    if (this.#file !== undefined) fs.closeSync(this.#file);
  }

  #start(): Promise<void> {
    const current = this.#syncNow().finally(() => {
      this.#current = undefined;
    });
    this.#current = current;
    this.#next = undefined;
    return current;
  }

  async #syncNow(): Promise<void> {
    if (!this.#mayHaveHoles) {
      try {
        // The log exists from the first commit on. It stays the same file while the database is in use.
        this.#file ??= fs.openSync(this.#path, 'r+');
        await datasync(this.#file);
        return;
      } catch {
        this.#mayHaveHoles = true;
      }
    }
    // After a failed sync, the system drops the data and lets the next sync succeed, so the log cannot be trusted.
    await this.#emptyLog();
    this.#mayHaveHoles = false;
  }
}
