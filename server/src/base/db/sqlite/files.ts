import { open } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';

/** A task for `files-thread.ts`: copy the database into a new file, or else overwrite deleted data. */
export interface FileWork {
  file: string;
  copyTo?: string;
}

/**
 * Copies the live rows, without deleted data, into an empty file, and syncs it.
 * @throws SQLite's errors
 */
export async function copyRows(file: string, copyTo: string): Promise<void> {
  await workOn({ file, copyTo });
  const copy = await open(copyTo, 'r+');
  await copy.sync().finally(() => copy.close());
}

/** Overwrites deleted data in the file and its log. Returns false when another connection holds the database. @throws SQLite's errors */
export function overwriteDeleted(file: string): Promise<boolean> {
  return workOn({ file });
}

function workOn(workerData: FileWork): Promise<boolean> {
  return new Promise((resolve, reject) => {
    // `execArgv` of this process is for its main program.
    new Worker(new URL('./files-thread.ts', import.meta.url), { execArgv: [], workerData })
      .on('message', resolve)
      .on('error', reject);
  });
}
