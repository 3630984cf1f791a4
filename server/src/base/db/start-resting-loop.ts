import type { RawBuilder } from 'kysely';
import { type Loop, startLoop } from '../std/loop.ts';
import type { Database } from './database.ts';
import { holdsAny } from './rows.ts';

/** A loop that rests while no row is waiting and nothing is written, so that an idle process does not look for rows. */
export function startRestingLoop({
  database,
  waits,
  runOnce,
  ...options
}: {
  database: Database;
  /** Conditions, one of which is true while a row waits, even for a later time. Empty if only writes create work. */
  waits: readonly RawBuilder<boolean>[];
  runOnce: (signal: AbortSignal) => Promise<boolean>;
  everyMs: number;
  onError: (error: unknown) => void;
}): Loop {
  /** The revision before the last run. A revision read later could miss a write. */
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
      // Does not search for rows while they come and go, because the loop's run finds them itself.
      else if (isSame || before.isEmpty) isEmpty = !(await holdsAny(database.read, waits));
      return isEmpty === true;
    },
  });
}
