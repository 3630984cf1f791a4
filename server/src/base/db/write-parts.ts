import { breatheFirst } from '../std/lateness/turns.ts';
import { isPostgres } from './rows.ts';
import type { Tx } from './schema.ts';

/**
 * Writes what is too much for one statement: at once on PostgreSQL; part by part on SQLite, which works in this thread, so that
 * others go on in between. They do not see it before the commit.
 */
export async function writeParts<Part>(
  tx: Tx,
  parts: readonly Part[],
  write: (part: Part) => Promise<void>,
): Promise<void> {
  if (parts.length > 1 && !isPostgres(tx)) return writeInTurns(parts, write);
  await Promise.all(parts.map(write));
}

/** The same, one after the other on both: making the statements takes time as well. Not for what travels with the commit. */
export async function writeInTurns<Part>(
  parts: readonly Part[],
  write: (part: Part) => Promise<void>,
): Promise<void> {
  for (const part of parts) {
    await breatheFirst();
    await write(part);
  }
}
