import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseRefused, DatabaseUnavailable } from '../database.ts';
import type { Session } from '../postgres/session.ts';
import type { Migration } from './check-migrated.ts';
import { backFillSetting, type OnlineStep, onlineStepsOf } from './online-steps.ts';

// Lock timeouts. Other statements queue behind one that waits for a lock, so the first wait is too short to notice.
const lockTimeoutsMs = [100, 200, 400];
const tryAgainMs = 300;
// The longest time for which another program's query may hold a table. We never end such a query.
const patienceMs = 10 * 60 * 1000;
// The wait for a lock held by `autovacuum`, which releases it only after a second.
const vacuumMs = 5_000;
const rowsPerPart = 5_000;

/** The statement that creates the table of progress, which exists only during migrations. */
export const progressTable =
  'create table if not exists migration_progress (version bigint primary key, fingerprint text not null, steps bigint not null, through bigint not null)';

/**
 * Runs one migration step by step while others read and write. An interrupted migration continues where it stopped.
 * @throws DatabaseUnavailable when a table is held for too long
 * @throws DatabaseRefused when another program began this migration with different steps
 */
export async function migrateOnline(
  session: Session,
  { version, migration, record }: { version: number; migration: Migration; record: string },
): Promise<void> {
  const steps = onlineStepsOf(migration);
  const progress = await readProgress(session, version, steps);
  for (const [nth, step] of steps.entries()) {
    if (nth < progress.steps) continue;
    const done = `update migration_progress set steps = ${nth + 1}, through = 0 where version = ${version}`;
    if (step.way === 'at once') {
      await runAtOnce(session, step, done);
      continue;
    }
    if (step.way === 'index') await buildIndex(session, step);
    else if (step.way === 'beside') await session.run(step.statement);
    else await writeInParts(session, step, version, nth === progress.steps ? progress.through : 0);
    await session.run(done);
  }
  await session.transaction(async () => {
    await session.run(record);
    await session.run('delete from migration_progress where version = $1', [version]);
  });
}

async function readProgress(session: Session, version: number, steps: readonly OnlineStep[]) {
  const fingerprint = createHash('sha256').update(JSON.stringify(steps)).digest('hex').slice(0, 16);
  await session.run('insert into migration_progress values ($1, $2, 0, 0) on conflict do nothing', [
    version,
    fingerprint,
  ]);
  const [row] = await session.run<{ fingerprint: string; steps: string; through: string }>(
    'select fingerprint, steps, through from migration_progress where version = $1',
    [version],
  );
  if (row?.fingerprint !== fingerprint)
    throw new DatabaseRefused(
      `Another version of Darkroom has begun migration ${version} of the database and was interrupted: run \`darkroom migrate\` of that version first.`,
    );
  return { steps: Number(row.steps), through: Number(row.through) };
}

async function runAtOnce(
  session: Session,
  { locks, statements }: OnlineStep & { way: 'at once' },
  done: string,
): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  for (let nth = 0; ; nth++) {
    const lockTimeoutMs = lockTimeoutsMs[nth] ?? lockTimeoutsMs.at(-1);
    try {
      return await session.transaction(async () => {
        // This lock conflicts only with `autovacuum` and other migrations, so nothing else queues behind it.
        await session.run(`set local lock_timeout = ${vacuumMs}`);
        for (const { table } of locks)
          await session.run(`lock table ${table} in share update exclusive mode`);
        await session.run(`set local lock_timeout = ${lockTimeoutMs}`);
        for (const { table, mode } of locks) await session.run(`lock table ${table} in ${mode} mode`);
        for (const statement of [...statements, done]) await session.run(statement);
      });
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (performance.now() > giveUpAt)
        throw new DatabaseUnavailable(
          `The database cannot be changed, because a long query uses ${locks.map(({ table }) => table).join(' or ')}. End the query, then start again.`,
          { cause: error },
        );
      await sleep(tryAgainMs * (0.5 + Math.random()));
    }
  }
}

/** Builds an index. Removes the invalid index that an interrupted build leaves. */
async function buildIndex(
  session: Session,
  { index, statement }: OnlineStep & { way: 'index' },
): Promise<void> {
  const [found] = await session.run<{ valid: boolean }>(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [index],
  );
  if (found?.valid) return;
  if (found) await session.run(`drop index concurrently ${index}`);
  await session.run(statement);
}

/** Updates the rows that exist at the start, in batches by number. After each batch, pauses for as long as it took. */
async function writeInParts(
  session: Session,
  { table, number, statement }: OnlineStep & { way: 'in parts' },
  version: number,
  from: number,
): Promise<void> {
  const [row] = await session.run<{ last: string | null }>(`select max(${number}) as last from ${table}`);
  const last = Number(row?.last ?? 0);
  for (let through = from; through < last; ) {
    const startedAt = performance.now();
    const next = Math.min(last, through + rowsPerPart);
    await session.transaction(async () => {
      await session.run(`set local ${backFillSetting} = 'on'`);
      await session.run(`${statement} and ${number} > ${through} and ${number} <= ${next}`);
      await session.run('update migration_progress set through = $1 where version = $2', [next, version]);
    });
    through = next;
    await sleep(performance.now() - startedAt);
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '55P03' || error.code === '40P01');
}
