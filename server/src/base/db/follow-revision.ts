import type { Log } from '../std/log.ts';
import { startLoop } from '../std/loop.ts';
import type { Database } from './database.ts';

// Changes are seen within a second, however they were made.
const lookEveryMs = 500;

export interface Followed extends AsyncDisposable {
  /** Reads changes at once; resolves when this process has them. */
  refresh(): Promise<void>;
}

/**
 * Reads what models and prices depend on, and again whenever its revision is another, until disposed. `event`: what the log says where
 * that fails.
 */
export async function followRevision(
  { database, log, event }: { database: Database; log: Log; event: string },
  { readRevision, read }: { readRevision: () => Promise<string>; read: () => Promise<void> },
): Promise<Followed> {
  let revision = '';
  let looked: Promise<void> = Promise.resolve();

  /** Refreshes one after the other: an overlapping refresh that began earlier would restore old values. */
  function refresh(): Promise<void> {
    const looking = looked.then(async () => {
      const now = await inTurn(database, readRevision);
      if (now === revision) return;
      await read();
      revision = now;
    });
    looked = looking.catch(() => {}); // whoever asked is told
    return looking;
  }

  await refresh();
  const loop = startLoop({
    runOnce: () => refresh().then(() => false),
    everyMs: lookEveryMs,
    onError: (error) => log.warn(event, { reason: String(error) }),
  });
  const stopListening = database.listen('models', () => loop.wake());
  return {
    refresh,
    async [Symbol.asyncDispose]() {
      stopListening();
      await loop[Symbol.asyncDispose]();
    },
  };
}

const turns = new WeakMap<Database, Promise<unknown>>();

/** One look at a time in a process: of a slow database, many would keep the connections that requests wait for. */
function inTurn<T>(database: Database, look: () => Promise<T>): Promise<T> {
  const turn = (turns.get(database) ?? Promise.resolve()).then(look);
  turns.set(
    database,
    turn.catch(() => {}),
  );
  return turn;
}
