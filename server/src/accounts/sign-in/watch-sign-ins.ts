import type { Database } from '../../base/db/database.ts';
import type { Queries } from '../../base/db/schema.ts';
import type { Log } from '../../base/std/log.ts';
import { AppError, type ErrorCode } from '../../errors.ts';
import { addSignInFailure, countSignInFailures } from './sign-in-failure-store.ts';

export const watchedMinutes = 10;
// More failures in `watchedMinutes` than mistyping causes. An attacker who guesses from one IP address reaches this
// number: 20 tries need no wait, and 2 more are allowed each minute.
export const manyFailures = 30;

const failures: ReadonlySet<ErrorCode> = new Set([
  'sign_in_refused',
  'panel_link_invalid',
  'too_many_requests',
]);

/** Runs `work`, counts its failure with those of all processes, and warns if there are many. */
export async function watchSignIns<T>(
  { database, log }: { database: Database; log: Log },
  address: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && failures.has(error.code)) {
      const count = await database.transaction(async (tx) => {
        await addSignInFailure(tx);
        return countSignInFailures(tx, watchedMinutes);
      });
      if (count === manyFailures)
        log.warn('sign_in.many_failures', {
          failures: count,
          minutes: watchedMinutes,
          last_address: address,
        });
    }
    throw error;
  }
}

export async function readSignInFailures(queries: Queries): Promise<{ count: number; areMany: boolean }> {
  const count = await countSignInFailures(queries, watchedMinutes);
  return { count, areMany: count >= manyFailures };
}
