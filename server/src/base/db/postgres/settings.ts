import type pg from 'pg';

export const statementTimeoutMs = 15_000;
// The longest wait for a lock. It is below the statement timeout, so that a locked row delays a batch of new jobs less.
const lockTimeoutMs = 5_000;

/** Settings of every connection. `off` only makes the planner avoid a method. docs/decisions/0012 has measurements. */
const settings: readonly [name: string, value: string | number][] = [
  // A plan made for an empty table uses a sequential scan, and a prepared statement keeps it while the table grows.
  ['enable_seqscan', 'off'],
  // Hash and merge joins read one side completely, so in a batch they would read every job to find a few.
  ['enable_hashjoin', 'off'],
  ['enable_mergejoin', 'off'],
  // Materializing reads the inner side of a nested loop completely, instead of looking up each row.
  ['enable_material', 'off'],
  // Each statement has one good plan, so new plans for new values gain nothing.
  ['plan_cache_mode', 'force_generic_plan'],
  ['statement_timeout', statementTimeoutMs],
  ['lock_timeout', lockTimeoutMs],
  // A process that was suspended inside a transaction must not hold its locks for longer than a statement may run.
  ['idle_in_transaction_session_timeout', statementTimeoutMs],
];

/** Applies the settings with `set`, because PgBouncer refuses settings in `options`. */
export async function applySettings(client: pg.ClientBase): Promise<void> {
  await client.query(settings.map(([name, value]) => `set ${name} = ${value}`).join('; '));
}

/** Begins a transaction in a session shared with others, in one message whose answer need not be awaited. */
export const beginWithSettings = [
  'begin',
  ...settings.map(([name, value]) => `set local ${name} = ${value}`),
].join('; ');
