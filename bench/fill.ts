import { sql } from 'kysely';
import type { Database } from '../server/src/base/db/database.ts';
import { rollUpAccount } from '../server/src/jobs/activity/roll-up.ts';
import { catchUp } from '../server/src/jobs/search/catch-up.ts';

const perTransaction = 100_000;

/** Inserts finished jobs with their entries, events and idempotency keys, which is faster than running them. */
export async function fillWithFinishedJobs(
  database: Database,
  accountId: string,
  count: number,
): Promise<void> {
  for (let from = 0; from < count; from += perTransaction) {
    const to = Math.min(count, from + perTransaction);
    await database.transaction(async (tx) => {
      for (const statement of statements(database.kind, accountId, from, to))
        await sql.raw(statement).execute(tx);
    });
  }
  // Otherwise PostgreSQL would soon do this itself, during a measurement.
  if (database.kind === 'postgres') await sql.raw('vacuum analyze').execute(database.read);
}

export async function catchUpWithPast(database: Database, accountId: string): Promise<void> {
  for (let more = true; more; ) ({ more } = await catchUp(database, accountId));
  await rollUpAccount(accountId, (work) => database.transaction((tx) => work(tx, 10_000)));
}

function statements(kind: Database['kind'], accountId: string, from: number, to: number): string[] {
  const numbers =
    kind === 'postgres'
      ? `generate_series(${from}, ${to - 1}) as n(i)`
      : `(with recursive c(i) as (select ${from} union all select i + 1 from c where i < ${to - 1}) select i from c) as n`;
  // The ids are UUIDs of version 7. With a time in the past, they sort before new ids.
  const time = '1700000000000 + n.i';
  const id =
    kind === 'postgres'
      ? `(lpad(to_hex((${time})::bigint), 12, '0') || '7000' || '8000' || lpad(to_hex(n.i), 12, '0'))::uuid`
      : `(printf('%08x-%04x-7000-8000-%012x', (${time}) >> 16, (${time}) & 65535, n.i))`;
  // Scattered keys imitate those that clients choose, whose order is unrelated to the order of jobs.
  const scattered = `((n.i * 2654435761) % 4294967296)`;
  const key =
    kind === 'postgres'
      ? `lpad(to_hex(${scattered.replace('n.i', 'n.i::bigint')}), 8, '0')`
      : `printf('%08x', ${scattered})`;
  const price = 40_000;
  const total = (to - from) * price;
  return [
    `insert into jobs (id, account_id, key_id, model, mode, prompt, requested_ratio, aspect_ratio, resolution, price_micros,
        idempotency_key, inputs, status, attempt, claimable_at, failures, created_at, started_at, finished_at, route,
        image_key, image_width, image_height, image_bytes, image_sha256, colours)
      select ${id}, '${accountId}', '${accountId}', 'nb2', 'text',
        'a lighthouse at dusk, image' || n.i || ' of series' || (n.i % 100), '16:9', '16:9', '1K', ${price},
        ${key}, '[]', 'done', 1, ${time}, '[]', ${time}, ${time}, ${time}, 'nb2/test',
        'results/' || ${id} || '/1.png', 1376, 768, 100, 'none', 'blue orange' from ${numbers}`,
    `insert into idempotency_keys (account_id, key, fingerprint, job_id, created_at)
      select '${accountId}', ${key}, 'none', ${id}, ${time} from ${numbers}`,
    `insert into entries (account_id, kind, amount_micros, reason, created_at)
      values ('${accountId}', 'credit', ${total}, 'bench', 0)`,
    ...['reserve', 'capture'].map(
      (entry) => `insert into entries (account_id, job_id, kind, amount_micros, created_at)
        select '${accountId}', ${id}, '${entry}', ${price}, ${time} from ${numbers}`,
    ),
    `insert into events (id, account_id, job_id, type, created_at)
      select 'evt_old_' || n.i, '${accountId}', ${id}, 'job.done', ${time} from ${numbers}`,
  ];
}
