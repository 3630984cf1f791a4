import type pg from 'pg';

export const statementTimeoutMs = 15_000;
// The longest wait for a lock, shorter than the statement timeout, so that one locked row delays a batch of
// other accounts' creates less.
const lockTimeoutMs = 5_000;

/**
 * Settings of every connection. `off` only makes the planner avoid a method: a table without a suitable index
 * is still scanned. Reports (usage, the overview, `verify`) are slower for it: they look up row by row what a
 * sequential scan and a hash join would read faster. That is acceptable because they are not urgent.
 * docs/decisions/0012 has the measurements.
 */
const settings: readonly [name: string, value: string | number][] = [
  // A plan made while a table was empty uses a sequential scan, and a prepared statement keeps it when the
  // table has grown.
  ['enable_seqscan', 'off'],
  // Hash and merge joins read one side completely first: in a batch, they would read every job to find a few.
  ['enable_hashjoin', 'off'],
  ['enable_mergejoin', 'off'],
  // Materializing reads the inner side of a nested loop completely into memory, instead of looking up each row.
  ['enable_material', 'off'],
  // Each statement has one good plan, so planning again for new values gains nothing.
  ['plan_cache_mode', 'force_generic_plan'],
  ['statement_timeout', statementTimeoutMs],
  ['lock_timeout', lockTimeoutMs],
  // A process that was suspended inside a transaction must not hold its locks for longer than a statement may run.
  ['idle_in_transaction_session_timeout', statementTimeoutMs],
];

/** Applies the settings by statements, because PgBouncer refuses settings in `options`. */
export async function applySettings(client: pg.ClientBase): Promise<void> {
  await client.query(settings.map(([name, value]) => `set ${name} = ${value}`).join('; '));
}

/** Begins a transaction in a session that others use before and after: one message, and no answer to wait for. */
export const beginWithSettings = [
  'begin',
  ...settings.map(([name, value]) => `set local ${name} = ${value}`),
].join('; ');
