import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { isBusy } from './errors.ts';
import type { FileWork } from './files.ts';

/** The thread that reads or writes a whole database file, which takes seconds, on a connection of its own. */

// Short, because it holds up those who write meanwhile; whoever asked asks again.
const busyTimeoutMs = 250;
/**
 * Rewriting a file keeps writers waiting for about a second per 150 MB (measured), and they give up after ten. Of a larger one only
 * the log and deleted rows are overwritten: copies of one row in some hundreds, which SQLite left where it split pages, stay.
 */
const mostRewrittenBytes = 256e6;

const { file, copyTo } = workerData as FileWork; // `workOnFile` made it
// Its connection is closed by then: who closes the last one leaves one file.
parentPort?.postMessage(work());

function work(): boolean {
  using database = new DatabaseSync(file, { timeout: busyTimeoutMs });
  if (copyTo === undefined) return overwriteDeleted(database);
  database.prepare('vacuum into ?').run(copyTo);
  return true;
}

/** False where somebody is in the way. */
function overwriteDeleted(database: DatabaseSync): boolean {
  try {
    if (statSync(file).size <= mostRewrittenBytes) database.exec('vacuum');
    return database.prepare('pragma wal_checkpoint(truncate)').get()?.busy === 0;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}
