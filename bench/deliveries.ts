import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { createAccount } from '../server/src/accounts/create-account.ts';
import { createKey } from '../server/src/accounts/create-key.ts';
import { startApp } from '../server/src/app.ts';
import { systemClock } from '../server/src/base/std/clock.ts';
import { readConfig } from '../server/src/config/config.ts';
import { laneOf } from '../server/src/notify/webhooks/delivery.ts';
import { silentLog } from '../server/test/world/silent-log.ts';

// Measures how many webhooks per second one process delivers to one fast receiver on this machine. Each webhook is
// signed and recorded, and has a job in its body. Uses SQLite, or the database of DATABASE_URL, which should be empty.

const deliveries = Number(process.argv[2] ?? 10_000);
const lookEveryMs = 20;

if (process.send === undefined) await measure();
else receive();

function receive(): void {
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => response.writeHead(204).end());
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
}

async function measure(): Promise<void> {
  const receiver = fork(import.meta.filename);
  const [{ port }] = await once(receiver, 'message');
  const dataDir = await mkdtemp(join(tmpdir(), 'darkroom-bench-'));
  const env = {
    PORT: '0',
    DARKROOM_DATA_DIR: dataDir,
    DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8',
    DATABASE_URL: process.env.DATABASE_URL,
  };
  const app = await startApp(readConfig(env), { log: silentLog, routes: [] });
  try {
    const { database } = app;
    const account = await createAccount(
      { database, clock: systemClock },
      { name: `bench ${Date.now()}`, creditMicros: 1_000_000n },
    );
    const { key } = await createKey({ database, clock: systemClock }, { account: account.id });
    await endOneJob(`${app.url}/api/v1`, key);
    const url = `http://127.0.0.1:${port}/hook`;
    const startedAt = performance.now();
    await database.transaction((tx) =>
      sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(deliveries)})
        insert into deliveries (event_id, account_id, url, lane, status, attempt, claimable_at, created_at)
        select id, account_id, ${url}, ${laneOf(account.id, url)}, 'pending', 0, now_ms(), now_ms()
        from events, numbers where account_id = ${account.id}`.execute(tx),
    );
    const insertedAt = performance.now();
    const cpuBefore = process.cpuUsage();
    for (let left = deliveries; left > 0; ) {
      await sleep(lookEveryMs);
      const { rows } = await sql<{
        left: number;
      }>`select count(*) as left from deliveries where status = 'pending' and account_id = ${account.id}`.execute(
        database.read,
      );
      left = rows[0]?.left ?? 0;
    }
    const seconds = (performance.now() - insertedAt) / 1000;
    const cpu = process.cpuUsage(cpuBefore);
    const { rows } = await sql<{
      good: number;
    }>`select count(*) as good from deliveries where status = 'delivered' and attempt = 1 and account_id = ${account.id}`.execute(
      database.read,
    );
    const result = {
      database: database.kind,
      deliveries,
      delivered_at_once: rows[0]?.good,
      per_second: Math.round(deliveries / seconds),
      cpu_us_each: Math.round((cpu.user + cpu.system) / deliveries),
      insert_ms: Math.round(insertedAt - startedAt),
    };
    process.stdout.write(`${JSON.stringify(result)}\n`);
  } finally {
    await app[Symbol.asyncDispose]();
    receiver.kill();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function endOneJob(api: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ prompt: 'a lighthouse at dusk', aspect_ratio: '1:1' });
  const created = await fetch(`${api}/nb/text-generations`, { method: 'POST', headers, body });
  const { job_id: jobId } = (await created.json()) as { job_id: string }; // the documented answer
  await fetch(`${api}/jobs/${jobId}/cancel`, {
    method: 'POST',
    headers: { authorization: headers.authorization },
  });
}
