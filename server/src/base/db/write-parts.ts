import { breatheFirst } from '../std/lateness/turns.ts';
import { isPostgres } from './rows.ts';
import type { Tx } from './schema.ts';

/** Makes a write of several statements: in parallel on PostgreSQL; one by one on SQLite, with other work in between. */
export async function writeParts<Part>(
  tx: Tx,
  parts: readonly Part[],
  write: (part: Part) => Promise<void>,
): Promise<void> {
  if (parts.length > 1 && !isPostgres(tx)) return writeInTurns(parts, write);
  await Promise.all(parts.map(write));
}

/** Writes one by one on both databases, because building statements takes time. Not for writes sent with the commit. */
export async function writeInTurns<Part>(
  parts: readonly Part[],
  write: (part: Part) => Promise<void>,
): Promise<void> {
  for (const part of parts) {
    await breatheFirst();
    await write(part);
  }
}
