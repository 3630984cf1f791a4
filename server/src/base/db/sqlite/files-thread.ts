import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { isBusy } from './errors.ts';
import type { FileWork } from './files.ts';

/** This thread reads or writes a whole database file on its own connection, because that work takes seconds. */

// A short wait for the lock, because it delays writers.
const busyTimeoutMs = 250;
/**
 * The largest file to rewrite. A rewrite blocks writers for a second per 150 MB, and they give up after ten seconds.
 * A larger file keeps copies of about one deleted row in several hundred, where SQLite splits pages.
 */
const mostRewrittenBytes = 256e6;

const { file, copyTo } = workerData as FileWork; // `workOnFile` sets it
// Sent after the connection is closed: closing the last connection removes the log, so that only one file is left.
parentPort?.postMessage(work());

function work(): boolean {
  using database = new DatabaseSync(file, { timeout: busyTimeoutMs });
  if (copyTo === undefined) return overwriteDeleted(database);
  database.prepare('vacuum into ?').run(copyTo);
  return true;
}

function overwriteDeleted(database: DatabaseSync): boolean {
  try {
    if (statSync(file).size <= mostRewrittenBytes) database.exec('vacuum');
    return database.prepare('pragma wal_checkpoint(truncate)').get()?.busy === 0;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}
