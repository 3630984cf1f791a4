import { sql } from 'kysely';
import { nowMs } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import type { FailureKind } from '../../upstream/providers/provider.ts';
import type { OpenCircuit, Opening } from './decide-circuit.ts';

/** Reads the circuits that are not closed, and the database's time, in one query because every claim needs both. */
export async function readCircuits(
  queries: Queries,
): Promise<{ nowMs: number; circuits: Map<string, OpenCircuit> }> {
  const rows = await queries
    .selectFrom(queries.selectNoFrom(nowMs.as('now')).as('clock'))
    .leftJoin('route_health', (join) => join.onTrue())
    .select('clock.now')
    .selectAll('route_health')
    .execute();
  const circuits = new Map<string, OpenCircuit>();
  for (const { route, state, until, failures, reason, detail, changed_at } of rows) {
    if (route === null || state === null) continue; // a row with only the time: all circuits are closed
    circuits.set(route, {
      route,
      state,
      until: until ?? 0,
      failures: failures ?? 1,
      reason: reason as FailureKind, // `openCircuit` wrote it
      detail,
      changedAt: changed_at ?? 0,
    });
  }
  return { nowMs: rows[0]?.now ?? 0, circuits };
}

export interface NewOpening extends Opening {
  route: string;
  reason: FailureKind;
  detail: string | null;
  /** How often in a row the circuit was opened, including this time. */
  failures: number;
}

/** Never makes an open circuit close earlier. */
export async function openCircuit(
  tx: Tx,
  { route, state, openMs, reason, detail, failures }: NewOpening,
): Promise<void> {
  const until = sql<number>`${nowMs} + cast(${Math.round(openMs)} as bigint)`;
  await tx
    .insertInto('route_health')
    .values({ route, state, until, failures, reason, detail, changed_at: nowMs })
    .onConflict((conflict) =>
      conflict
        .column('route')
        .doUpdateSet({
          state: (eb) => eb.ref('excluded.state'),
          until: (eb) => eb.ref('excluded.until'),
          failures: (eb) => eb.ref('excluded.failures'),
          reason: (eb) => eb.ref('excluded.reason'),
          detail: (eb) => eb.ref('excluded.detail'),
          changed_at: (eb) => eb.ref('excluded.changed_at'),
        })
        .whereRef('route_health.until', '<', 'excluded.until'),
    )
    .execute();
}

export async function closeCircuit(tx: Tx, route: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('route_health')
    .where('route', '=', route)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Half-opens the circuits of routes that rejected us, because an operator may have fixed the cause. */
export async function probeRejected(tx: Tx): Promise<void> {
  await tx
    .updateTable('route_health')
    .set({ until: nowMs })
    .where('state', '=', 'rejected')
    .where('until', '>', nowMs)
    .execute();
}

/** Half-opens an open circuit, so that the next job probes its route. Returns false if the route gets jobs already. */
export async function probeNow(tx: Tx, route: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('route_health')
    .set({ until: nowMs })
    .where('route', '=', route)
    .where('until', '>', nowMs)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Reads the time until which each route has used its rate (generic cell rate algorithm). */
export async function readPaces(queries: Queries): Promise<Map<string, number>> {
  const rows = await queries.selectFrom('route_paces').select(['route', 'busy_until']).execute();
  return new Map(rows.map((row) => [row.route, row.busy_until]));
}

/** Counts new attempts against a route's rate. Claims take turns, so no other process writes meanwhile. */
export async function takePace(tx: Tx, route: string, busyUntil: number): Promise<void> {
  await tx
    .insertInto('route_paces')
    .values({ route, busy_until: busyUntil })
    .onConflict((conflict) => conflict.column('route').doUpdateSet({ busy_until: busyUntil }))
    .execute();
}
