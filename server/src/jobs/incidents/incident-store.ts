import { sql } from 'kysely';
import { nowMs } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';

/** A pause of everything or of a model. The public can see it even after its end. */
export interface Incident {
  id: string;
  /** `project` for everything, or the id of a model. */
  scope: string;
  reason: string | null;
  beganAt: number;
  until: number | null;
  /** When the pause ended; null while it lasts. */
  endedAt: number | null;
  changedAt: number;
}

type Told = Pick<Incident, 'scope' | 'reason' | 'until'>;

export async function insertIncident(
  tx: Tx,
  { id, scope, reason, until }: Told & { id: string },
): Promise<void> {
  await tx
    .insertInto('incidents')
    .values({ id, scope, reason, until, began_at: nowMs, ended_at: null, changed_at: nowMs })
    .execute();
}

export async function changeIncident(tx: Tx, { scope, reason, until }: Told): Promise<void> {
  await lasting(tx, scope).set({ reason, until, changed_at: nowMs }).execute();
}

export async function endIncident(tx: Tx, scope: string): Promise<void> {
  await lasting(tx, scope).set({ ended_at: nowMs, changed_at: nowMs }).execute();
}

function lasting(tx: Tx, scope: string) {
  return tx
    .updateTable('incidents')
    .where('scope', '=', scope)
    .where('ended_at', 'is', null)
    .where((eb) => eb.or([eb('until', 'is', null), eb('until', '>', nowMs)]));
}

export async function listIncidents(
  queries: Queries,
  { fromMs, limit }: { fromMs: number; limit: number },
): Promise<Incident[]> {
  const rows = await queries
    .selectFrom('incidents')
    .selectAll()
    .select(
      sql<
        number | null
      >`case when ended_at is not null then ended_at when until <= ${nowMs} then until end`.as('over_at'),
    )
    // An expired pause has no `ended_at`. Its end is `until`.
    .where(sql<boolean>`coalesce(ended_at, until, ${nowMs}) >= ${fromMs}`)
    .orderBy('began_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    ...{ id: row.id, scope: row.scope, reason: row.reason, until: row.until },
    ...{ beganAt: row.began_at, endedAt: row.over_at },
    // A pause changes when it expires, although nothing is written then.
    changedAt: Math.max(row.changed_at, row.over_at ?? 0),
  }));
}
