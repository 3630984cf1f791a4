import type { Database } from '../../base/db/database.ts';
import type { Log } from '../../base/std/log.ts';
import { startLoop } from '../../base/std/loop.ts';
import { newWorkerId } from '../../base/std/worker-id.ts';
import { version } from '../../version.ts';
import { forgetProcess, noteProcess, reportMs } from './process-store.ts';

export function reportProcess({
  database,
  log,
  role,
}: {
  database: Database;
  log: Log;
  role: string;
}): AsyncDisposable {
  const name = newWorkerId(Date.now());
  const onError = (error: unknown) => log.warn('process.not_reported', { reason: String(error) });
  const loop = startLoop({
    async runOnce() {
      await database.transaction((tx) => noteProcess(tx, name, { role, version }));
      return false;
    },
    everyMs: reportMs,
    onError,
  });
  return {
    async [Symbol.asyncDispose]() {
      await loop[Symbol.asyncDispose]();
      await database.transaction((tx) => forgetProcess(tx, name)).catch(onError);
    },
  };
}
