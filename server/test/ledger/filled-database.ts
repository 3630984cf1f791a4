import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { connect } from '../../src/base/db/connect.ts';
import type { Database } from '../../src/base/db/database.ts';
import { migrate } from '../../src/base/db/migrating/migrate.ts';
import { systemClock } from '../../src/base/std/clock.ts';
import { createDatabase } from '../world/databases.ts';

const priceMicros = 40_000;

export async function openDatabase() {
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'darkroom-verify-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const given = await createDatabase();
  stack.defer(() => given?.drop());
  const database = stack.use(await connect({ url: given?.url, dataDir, clock: systemClock }));
  await migrate(database);
  const open = stack.move();
  return {
    database,
    env: { DARKROOM_DATA_DIR: dataDir, DATABASE_URL: given?.url },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** Inserts accounts `1`, `2`, …, each with this many done jobs, with reserve, capture, event and key. */
export async function fill(database: Database, accounts: number, jobsPerAccount: number): Promise<void> {
  const jobs = accounts * jobsPerAccount;
  const balance = jobsPerAccount * priceMicros;
  const uuid = (text: string) =>
    database.kind === 'postgres' ? sql.raw(`(${text})::uuid`) : sql.raw(`(${text})`);
  const digits = (number: string) =>
    database.kind === 'postgres' ? `lpad((${number})::text, 12, '0')` : `printf('%012d', ${number})`;
  const account = (number: string) => uuid(`'00000000-0000-7000-8000-' || ${digits(number)}`);
  const job = uuid(`'10000000-0000-7000-8000-' || ${digits('n')}`);
  const owner = account(`n % ${accounts} + 1`);
  const numbers = (count: number) =>
    sql`(with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(count)})
      select n from numbers) as numbers`;
  await database.transaction(async (tx) => {
    for (const statement of [
      sql`insert into accounts (id, name, balance_micros, created_at)
        select ${account('n')}, 'account ' || n, ${sql.lit(balance)}, 1 from ${numbers(accounts)}`,
      sql`insert into entries (account_id, kind, amount_micros, created_at)
        select ${account('n')}, 'credit', ${sql.lit(2 * balance)}, 1 from ${numbers(accounts)}`,
      sql`insert into jobs (id, account_id, key_id, model, mode, prompt, requested_ratio, aspect_ratio, resolution,
          price_micros, inputs, status, attempt, claimable_at, failures, created_at, started_at, finished_at,
          image_key, image_width, image_height, image_bytes, image_sha256)
        select ${job}, ${owner}, ${owner}, 'nb', 'text', 'a fox', '1:1', '1:1', '1K', ${sql.lit(priceMicros)}, '[]',
          'done', 1, 1, '[]', 1, 2, 3, 'results/x', 1, 1, 1, 'x' from ${numbers(jobs)}`,
      ...['reserve', 'capture'].map(
        (kind) => sql`insert into entries (account_id, job_id, kind, amount_micros, created_at)
        select ${owner}, ${job}, ${sql.lit(kind)}, ${sql.lit(priceMicros)}, 1 from ${numbers(jobs)}`,
      ),
      sql`insert into events (id, account_id, job_id, type, created_at)
        select 'evt_' || n, ${owner}, ${job}, 'job.done', 1 from ${numbers(jobs)}`,
      sql`insert into idempotency_keys (account_id, key, fingerprint, job_id, created_at)
        select ${owner}, 'key ' || n, 'x', ${job}, 1 from ${numbers(jobs)}`,
    ]) {
      await statement.execute(tx);
    }
  });
}

export async function run(database: Database, statement: string): Promise<void> {
  await database.transaction((tx) => sql.raw(statement).execute(tx));
}

export const account = (nth: number) => `00000000-0000-7000-8000-${String(nth).padStart(12, '0')}`;
export const job = (nth: number) => `10000000-0000-7000-8000-${String(nth).padStart(12, '0')}`;
