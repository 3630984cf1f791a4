import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect as connectSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { connect } from '../../src/db/connect.ts';
import { systemClock } from '../../src/std/clock.ts';
import { clientOf, createJob, finished, refusedPrompt } from '../processes/support/client.ts';
import { openInstallation } from '../processes/support/installation.ts';
import { freePort } from '../world/free-port.ts';
import { startCluster } from '../world/postgres.ts';

const program = '/usr/sbin/pgbouncer';
const skip = !existsSync(program) && `NO ${program}: apt-get install pgbouncer`;
// It refuses to run as root.
const nobody = 65_534;

test('everything works through PgBouncer by session: one process creates, another is woken and makes', {
  skip,
}, async () => {
  await using cluster = await startCluster();
  await using pooler = await startPgBouncer(cluster.port);
  await using place = await openInstallation({ url: pooler.url });
  const { key } = await place.account(1_000_000n);
  const api = await place.start('api');
  await using _worker = await place.start('worker');
  const client = clientOf(api, key);
  const job = await finished(client, await createJob(client, refusedPrompt));
  assert.equal(job.status, 'failed');
  assert.equal(job.error_code, 'safety_blocked');
});

test('every connection has our settings, through PgBouncer and without it, also one that another had used before', {
  skip,
}, async () => {
  await using cluster = await startCluster();
  await using pooler = await startPgBouncer(cluster.port);
  for (const url of [cluster.url, pooler.url, pooler.url]) {
    await using database = await connect({ url, dataDir: '/nowhere', clock: systemClock });
    const settings = await Promise.all(
      Array.from({ length: 5 }, () =>
        database.transaction(async (tx) => {
          const { rows } = await sql<{ plan: string; seqscan: string; lock: string; statement: string }>`
            select current_setting('plan_cache_mode') as plan, current_setting('enable_seqscan') as seqscan,
              current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement`.execute(
            tx,
          );
          return rows[0];
        }),
      ),
    );
    for (const one of settings)
      assert.deepEqual(
        { ...one },
        { plan: 'force_generic_plan', seqscan: 'off', lock: '5s', statement: '15s' },
      );
  }
});

/** In front of the database `postgres` of a cluster, by session. */
async function startPgBouncer(clusterPort: number): Promise<AsyncDisposable & { url: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-pgbouncer-'));
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]
postgres = host=127.0.0.1 port=${clusterPort} dbname=postgres user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = session
default_pool_size = 40
`,
  );
  await chmod(folder, 0o755);
  const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};
  const child = spawn(program, [file], { ...user, stdio: ['ignore', 'ignore', 'pipe'] });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (words += text));
  const ended = once(child, 'exit');
  void ended.then(() => assert.ok(child.killed, words));
  while (!(await answers(port))) assert.equal(child.exitCode, null, words);
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

async function answers(port: number): Promise<boolean> {
  const socket = connectSocket(port, '127.0.0.1');
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}
