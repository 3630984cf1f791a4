import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** Copies the log into the file on a connection of its own: at once, while others write, and again whenever it is asked to. */

const database = new DatabaseSync(String(workerData)); // `startThread` made it
// SQLite syncs the log before it copies it, and the file before the log is begun anew.
database.exec('pragma synchronous = normal');
const copy = database.prepare('pragma wal_checkpoint(passive)');

function copyAndSay(): void {
  parentPort?.postMessage(copy.get());
}

parentPort?.on('message', copyAndSay);
parentPort?.on('close', () => database.close());
copyAndSay();
