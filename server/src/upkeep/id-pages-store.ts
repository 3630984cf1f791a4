import { setImmediate } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { Queries } from '../db/schema.ts';

type Table = 'accounts' | 'jobs' | 'batches';

/** Ids above `after`, up to and including `upTo`; null is unbounded. */
export interface IdPage {
  after: string | null;
  upTo: string | null;
}

/**
 * Splits a table into pages of this many rows. The last page is open-ended, because rows may be added
 * meanwhile.
 */
export async function cutIntoPages(
  queries: Queries,
  table: Table,
  rows: number,
  signal?: AbortSignal,
): Promise<IdPage[]> {
  const pages: IdPage[] = [];
  for (let after: string | null = null; ; ) {
    const upTo = await findEnd(queries, table, after, rows);
    pages.push({ after, upTo });
    if (upTo === null) return pages;
    after = upTo;
    await betweenPages(signal);
  }
}

/** Yields the thread. Throws when the process is stopping, which should not wait for a long check. */
export async function betweenPages(signal: AbortSignal | undefined): Promise<void> {
  await setImmediate();
  signal?.throwIfAborted();
}

async function findEnd(
  queries: Queries,
  table: Table,
  after: string | null,
  rows: number,
): Promise<string | null> {
  const ends = await sql<{ id: string }>`select id from ${sql.table(table)}
    where ${isInPage('id', { after, upTo: null })} order by id limit 1 offset ${sql.lit(rows - 1)}`.execute(
    queries,
  );
  return ends.rows[0]?.id ?? null;
}

export function isInPage(column: string, { after, upTo }: IdPage): RawBuilder<boolean> {
  const bounds = [
    ...(after === null ? [] : [sql`${sql.ref(column)} > ${after}`]),
    ...(upTo === null ? [] : [sql`${sql.ref(column)} <= ${upTo}`]),
  ];
  return bounds.length === 0 ? sql`true` : sql`${sql.join(bounds, sql` and `)}`;
}
