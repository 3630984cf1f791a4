import { sql } from 'kysely';
import { isPostgres, nowMs } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import type { ModelId } from '../../upstream/catalog/models.ts';

/** The whole project, one model, or one account by its id. */
export type PauseScope = 'project' | ModelId | string;

export interface Pause {
  scope: PauseScope;
  reason: string | null;
  /** Milliseconds since the epoch; null for a pause without an end. */
  until: number | null;
  /** Milliseconds since the epoch. */
  since: number;
}

/** Starts a pause, or changes the one in force with this scope. Returns the previous pause in force. */
export async function pause(
  tx: Tx,
  { scope, reason, until }: Omit<Pause, 'since'>,
): Promise<Pause | undefined> {
  await waitForScope(tx, scope);
  const before = (await listPauses(tx)).find((one) => one.scope === scope);
  await tx
    .insertInto('pauses')
    .values({ scope, reason, until, created_at: nowMs })
    .onConflict((conflict) =>
      conflict.column('scope').doUpdateSet({
        reason,
        until,
        created_at: sql<number>`case when pauses.until <= ${nowMs} then ${nowMs} else pauses.created_at end`,
      }),
    )
    .execute();
  return before;
}

export async function resume(
  tx: Tx,
  scope: PauseScope,
): Promise<Pick<Pause, 'reason' | 'until'> | undefined> {
  await waitForScope(tx, scope);
  return tx.deleteFrom('pauses').where('scope', '=', scope).returning(['reason', 'until']).executeTakeFirst();
}

/** Makes transactions take turns. Concurrent pauses would not see each other, and each would report an incident. */
async function waitForScope(tx: Tx, scope: PauseScope): Promise<void> {
  if (isPostgres(tx))
    await sql`select pg_advisory_xact_lock(hashtextextended(${`pause ${scope}`}, 0))`.execute(tx);
}

/** The current pauses. The table has few rows, so a cache would save nothing. */
export async function listPauses(queries: Queries): Promise<Pause[]> {
  const { rows } = await sql<Pause>`select scope, reason, until, created_at as since from pauses
    where until is null or until > ${nowMs}`.execute(queries);
  return rows;
}

/** The pause that keeps an account from creating jobs. Its accepted jobs continue. */
export function pauseOfAccount(pauses: readonly Pause[], accountId: string): Pause | undefined {
  return pauses.find(({ scope }) => scope === accountId);
}

/** The pause that stops a model: the project's, or else its own. */
export function pauseOf(pauses: readonly Pause[], model: ModelId): Pause | undefined {
  return pauses.find(({ scope }) => scope === 'project') ?? pauses.find(({ scope }) => scope === model);
}
