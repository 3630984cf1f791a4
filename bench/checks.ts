import type { App } from '../server/src/app.ts';
import { findViolations } from '../server/src/jobs/upkeep/verify/find-violations.ts';
import { verifyAll } from '../server/src/jobs/upkeep/verify/verify-changes.ts';

/** Checks the ledger in the process of a server under load, `slowly`, as upkeep does, or all of it `at once`. */
export function createChecks({ database }: Pick<App, 'database'>) {
  let stop = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  return {
    begin(how: 'slowly' | 'at once') {
      stop = new AbortController();
      const { signal } = stop;
      const onViolation = ({ detail }: { detail: string }) => {
        throw new Error(detail);
      };
      const once = () =>
        how === 'slowly'
          ? verifyAll({ database, signal, onViolation })
          : findViolations(database.read).then((violations) => violations.forEach(onViolation));
      const work = async () => {
        while (!signal.aborted) {
          await database.transaction((tx) =>
            tx.deleteFrom('settings').where('name', '=', 'verify_pass').execute(),
          );
          await once();
        }
      };
      running = work().catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    },
    /** Stops the checks. A check that runs `at once` cannot be aborted, so this waits until it has finished. */
    async end() {
      stop.abort(new Error('the round is over'));
      await running;
    },
  };
}
