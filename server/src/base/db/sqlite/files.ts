import { open } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';

/** A task for `files-thread.ts`: to copy the database to `copyTo`, or without it, to overwrite deleted data. */
export interface FileWork {
  file: string;
  copyTo?: string;
}

/** Copies the live rows into an empty file, and syncs it. @throws SQLite's errors */
export async function copyRows(file: string, copyTo: string): Promise<void> {
  await workOn({ file, copyTo });
  const copy = await open(copyTo, 'r+');
  await copy.sync().finally(() => copy.close());
}

/** False if another connection prevents it. @throws SQLite's errors */
export function overwriteDeleted(file: string): Promise<boolean> {
  return workOn({ file });
}

function workOn(workerData: FileWork): Promise<boolean> {
  return new Promise((resolve, reject) => {
    // The worker must not inherit `execArgv`, which is for this process's main program.
    new Worker(new URL('./files-thread.ts', import.meta.url), { execArgv: [], workerData })
      .on('message', resolve)
      .on('error', reject);
  });
}
