import type { Database } from '../../base/db/database.ts';
import { startLoop } from '../../base/std/loop.ts';

// The interval between elections, and so the longest time until another process takes over from a dead one.
const askEveryMs = 1_000;

export function startElection(
  database: Database,
  { begin, onError }: { begin: () => AsyncDisposable; onError: (error: unknown) => void },
): AsyncDisposable {
  let work: AsyncDisposable | undefined;
  const end = async () => {
    const ending = work;
    work = undefined;
    await ending?.[Symbol.asyncDispose]();
  };
  const loop = startLoop({
    everyMs: askEveryMs,
    onError,
    async runOnce() {
      if (await database.isElected()) work ??= begin();
      else await end();
      return false;
    },
  });
  return {
    async [Symbol.asyncDispose]() {
      await loop[Symbol.asyncDispose]();
      await end();
    },
  };
}
