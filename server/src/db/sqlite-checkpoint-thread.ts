import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** Copies the log into the file whenever it is asked to, on a connection of its own, while others write. */

const database = new DatabaseSync(String(workerData)); // `SqliteCheckpoints` made it
// SQLite syncs the log before it copies it, and the file before the log is begun anew.
database.exec('pragma synchronous = normal');
const copy = database.prepare('pragma wal_checkpoint(passive)');

parentPort?.on('message', () => parentPort?.postMessage(copy.get()));
