import { type RawBuilder, sql } from 'kysely';
import type { Log } from '../std/log.ts';
import type { Database } from './database.ts';
import { startRestingLoop } from './start-resting-loop.ts';

// The pause between two checks for changes, so short that each change is noticed within a second.
const lookEveryMs = 500;

/** Data from the database that a process keeps in memory until it changes. */
export interface Kept {
  /** A statement that returns one text, which is different after every change. */
  revision: RawBuilder<string | null>;
  read(): Promise<void>;
}

/** Follows changes that operators make while processes run. A single statement asks about all data. */
export interface Changes extends AsyncDisposable {
  follow(kept: Kept): Promise<void>;
  /** Reads all changed data immediately. Resolves when this process has it. */
  refresh(): Promise<void>;
}

export function openChanges(database: Database, log: Log): Changes {
  const followed: (Kept & { seen?: string | null | undefined })[] = [];
  let looked: Promise<void> = Promise.resolve();

  /** Reads all changed data that can be read, then throws the first error. */
  async function look(): Promise<void> {
    const asked = [...followed];
    const revisions = await readRevisions(database, asked);
    const errors: unknown[] = [];
    for (const [index, kept] of asked.entries()) {
      const revision = revisions[index];
      if (revision === kept.seen) continue;
      try {
        await kept.read();
        kept.seen = revision;
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }

  /** Runs one `look` after the other, because an earlier one that finishes later would restore old values. */
  function refresh(): Promise<void> {
    const looking = looked.then(look);
    looked = looking.catch(() => {}); // the caller gets the error
    return looking;
  }

  const loop = startRestingLoop({
    database,
    waits: [],
    runOnce: () => refresh().then(() => false),
    everyMs: lookEveryMs,
    onError: (error) => log.warn('changes.not_read', { reason: String(error) }),
  });
  const stopListening = database.listen('models', () => loop.wake());
  return {
    follow(kept) {
      followed.push({ ...kept });
      return refresh();
    },
    refresh,
    async [Symbol.asyncDispose]() {
      stopListening();
      await loop[Symbol.asyncDispose]();
    },
  };
}

async function readRevisions(database: Database, kept: readonly Kept[]): Promise<(string | null)[]> {
  if (kept.length === 0) return [];
  const columns = kept.map(({ revision }, index) => sql`(${revision}) as ${sql.ref(`r${index}`)}`);
  const { rows } = await sql<Record<string, string | null>>`select ${sql.join(columns)}`.execute(
    database.read,
  );
  return kept.map((_, index) => rows[0]?.[`r${index}`] ?? null);
}
