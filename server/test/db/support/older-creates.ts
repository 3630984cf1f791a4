import { randomUUID } from 'node:crypto';
import pg from 'pg';

const account = '01980000-0000-7000-8000-0000000000a1';
const key = '01980000-0000-7000-8000-0000000000b1';
const price = 40_000;
const columns = `id, account_id, key_id, model, mode, prompt, requested_ratio, resolution, price_micros, idempotency_key, inputs, status,
  attempt, claimable_at, failures, created_at`;
const done =
  'started_at, finished_at, aspect_ratio, route, image_key, image_width, image_height, image_bytes, image_sha256';

export async function fillOlder(url: string, jobs: number): Promise<void> {
  const id = `(lpad(to_hex(1700000000000 + n), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid`;
  const numbers = `generate_series(1, ${jobs}) as n`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client
    .query(
      `insert into jobs (${columns}, ${done})
        select ${id}, '${account}', '${key}', 'nb2', 'text', 'a lighthouse at dusk', '1:1', '1K', ${price}, 'old-' || n, '[]', 'done',
          1, n, '[]', n, n, n, '1:1', 'nb2/test', 'results/' || n, 1024, 1024, 100, 'none' from ${numbers};
      insert into entries (account_id, kind, amount_micros, reason, created_at)
        values ('${account}', 'credit', ${jobs * price}, 'old', 0);
      insert into entries (account_id, job_id, kind, amount_micros, created_at)
        select '${account}', ${id}, 'reserve', ${price}, n from ${numbers};
      insert into entries (account_id, job_id, kind, amount_micros, created_at)
        select '${account}', ${id}, 'capture', ${price}, n from ${numbers};
      insert into events (id, account_id, job_id, type, created_at)
        select 'evt_old_' || n, '${account}', ${id}, 'job.done', n from ${numbers};`,
    )
    .finally(() => client.end());
}

export async function createAsOlder(url: string, clients: number) {
  const counted = { created: 0, longestMs: 0 };
  const stop = new AbortController();
  const running = Array.from({ length: clients }, async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      while (!stop.signal.aborted) {
        const startedAt = performance.now();
        await client.query(createAndCancel(randomUUID()));
        counted.created += 1;
        counted.longestMs = Math.max(counted.longestMs, performance.now() - startedAt);
      }
    } finally {
      await client.end();
    }
  });
  for (const each of running) each.catch(() => {}); // `stop` reports it
  return {
    counted,
    async stop() {
      stop.abort();
      await Promise.all(running);
    },
  };
}

function createAndCancel(id: string): string {
  const entry = (kind: string) =>
    `insert into entries (account_id, job_id, kind, amount_micros, created_at) values ('${account}', '${id}', '${kind}', ${price}, now_ms())`;
  return `begin;
    select 1 from accounts where id = '${account}' for update;
    insert into idempotency_keys (account_id, key, fingerprint, job_id, created_at)
      values ('${account}', '${id}', 'none', '${id}', now_ms());
    insert into jobs (${columns}) values ('${id}', '${account}', '${key}', 'nb2', 'text', 'a storm', '1:1', '1K', ${price}, '${id}', '[]',
      'queued', 0, now_ms(), '[]', now_ms());
    ${entry('reserve')};
    update accounts set reserved_micros = reserved_micros + ${price} where id = '${account}';
    commit;
    begin;
    select 1 from accounts where id = '${account}' for update;
    update jobs set status = 'failed', error = 'cancelled', error_code = 'cancelled', finished_at = now_ms() where id = '${id}';
    ${entry('release')};
    update accounts set reserved_micros = reserved_micros - ${price} where id = '${account}';
    insert into events (id, account_id, job_id, type, created_at) values ('evt_${id}', '${account}', '${id}', 'job.failed', now_ms());
    commit`;
}
