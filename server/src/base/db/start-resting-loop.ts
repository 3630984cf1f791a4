import type { RawBuilder } from 'kysely';
import { type Loop, startLoop } from '../std/loop.ts';
import type { Database } from './database.ts';
import { holdsAny } from './rows.ts';

/**
 * A loop whose work waits in rows. While there are no such rows, it runs again only after something was written, so an
 * idle process asks for the revision instead of searching. It notices a write of any process as soon as without
 * rests, whether or not a notification arrives.
 */
export function startRestingLoop({
  database,
  waits,
  runOnce,
  ...options
}: {
  database: Database;
  /** Conditions, one of which holds while any row waits, be it for its time to come. None if only a write makes work. */
  waits: readonly RawBuilder<boolean>[];
  runOnce: (signal: AbortSignal) => Promise<boolean>;
  everyMs: number;
  onError: (error: unknown) => void;
}): Loop {
  /** Read before the last run, so that no later write is missed. */
  let revision: string | undefined;
  let isEmpty: boolean | undefined;
  let isDone = false;

  return startLoop({
    ...options,
    async runOnce(signal) {
      isDone = false;
      const isMore = await runOnce(signal);
      isDone = true;
      return isMore;
    },
    async mayRest() {
      const before = { revision, isEmpty };
      revision = isEmpty = undefined; // unknown if a read or the run fails
      revision = await database.revision();
      const isSame = revision === before.revision;
      if (!isDone) return false;
      if (waits.length === 0) return isSame;
      if (isSame && before.isEmpty !== undefined) isEmpty = before.isEmpty;
      // Asked only if the answer may be yes: while rows come and go, the work itself finds them.
      else if (isSame || before.isEmpty) isEmpty = !(await holdsAny(database.read, waits));
      return isEmpty === true;
    },
  });
}
