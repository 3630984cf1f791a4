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
import pg from 'pg';
import { connect } from '../../src/base/db/connect.ts';
import type { Queries } from '../../src/base/db/schema.ts';
import { systemClock } from '../../src/base/std/clock.ts';
import { examineInstallation } from '../../src/start/examine-installation.ts';
import { clientOf, createJob, eachOf, finished, refusedPrompt } from '../processes/support/client.ts';
import { openInstallation } from '../processes/support/installation.ts';
import { receiverNetwork, startReceiver } from '../webhooks/support/receiver.ts';
import { freePort } from '../world/free-port.ts';
import { type Cluster, startCluster } from '../world/postgres.ts';

const program = '/usr/sbin/pgbouncer';
const skip = !existsSync(program) && `NO ${program}: apt-get install pgbouncer`;
// pgbouncer refuses to run as root.
const nobody = 65_534;

for (const mode of ['session', 'transaction'] as const) {
  test(`everything works through PgBouncer by ${mode}: creates, polls, jobs, webhooks, and upkeep, which another process takes over`, {
    skip,
  }, async () => {
    await using cluster = await startCluster();
    await using pooler = await startPgBouncer(cluster.port, mode);
    const address = { url: pooler.url, ...(mode === 'transaction' && { directUrl: cluster.url }) };
    await using place = await openInstallation(address, { DARKROOM_ALLOW_NETWORKS: receiverNetwork });
    await using receiver = await startReceiver();
    const { accountId, key } = await place.account(10_000_000n);
    await place.operator.replaceEndpoint(accountId, 'default', { url: receiver.url });

    const api = await place.start('api');
    const first = await place.start('worker');
    const before = await elected(cluster);
    await using second = await place.start('worker');
    const client = clientOf(api, key);
    const done = await finished(client, await createJob(client, 'a fox'));
    assert.equal(done.status, 'done');
    assert.match((await receiver.got(1))[0]?.body ?? '', /"type":"job.done"/);
    await eachOf(Array(60).keys(), 12, async () => {
      const job = await finished(client, await createJob(client, refusedPrompt));
      assert.equal(job.error_code, 'safety_blocked');
    });
    await receiver.got(61);

    assert.equal(await elected(cluster), before, 'the first has it still');
    first.signal('SIGKILL');
    await first.ended;
    assert.notEqual(await elected(cluster, before), before);
    const job = await finished(client, await createJob(client, refusedPrompt));
    assert.equal(job.status, 'failed', 'and the second goes on');
    assert.ok(second.pid);
  });
}

test('every transaction and read has our settings, however connections are pooled, and other clients do not', {
  skip,
}, async () => {
  await using cluster = await startCluster();
  await using bySession = await startPgBouncer(cluster.port, 'session');
  await using byTransaction = await startPgBouncer(cluster.port, 'transaction');
  const ours = { plan: 'force_generic_plan', seqscan: 'off', lock: '5s', statement: '15s' };
  for (const [url, directUrl] of [
    [cluster.url],
    [bySession.url],
    [bySession.url],
    [byTransaction.url, cluster.url],
  ]) {
    await using database = await connect({ url, directUrl, dataDir: '/nowhere', clock: systemClock });
    const ask = async (queries: Queries) => {
      const { rows } = await sql`
        select current_setting('plan_cache_mode') as plan, current_setting('enable_seqscan') as seqscan,
          current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement`.execute(
        queries,
      );
      return rows;
    };
    const found = await Promise.all([1, 2, 3].flatMap(() => [database.transaction(ask), ask(database.read)]));
    assert.deepEqual(found.flat(), Array(6).fill(ours));
  }
  assert.deepEqual(await query(byTransaction.url, `select current_setting('enable_seqscan') as seqscan`), [
    { seqscan: 'on' },
  ]);
});

test('a transaction pooler is refused where a session is needed, by the server and by doctor', {
  skip,
}, async () => {
  await using cluster = await startCluster();
  await using pooler = await startPgBouncer(cluster.port, 'transaction');
  const { url } = pooler;
  for (const [directUrl, name] of [
    [undefined, 'DATABASE_URL'],
    [url, 'DATABASE_DIRECT_URL'],
  ]) {
    await using database = await connect({ url, directUrl, dataDir: '/nowhere', clock: systemClock });
    const sentence = new RegExp(
      `^${name} leads to a pooler that pools by transaction: set DATABASE_DIRECT_URL`,
    );
    await assert.rejects(
      database.transaction(async () => {}),
      { name: 'SettingError', message: sentence },
    );
    const findings = await Array.fromAsync(
      examineInstallation({
        DARKROOM_DATA_DIR: '/nowhere',
        DATABASE_URL: url,
        ...(directUrl && { DATABASE_DIRECT_URL: directUrl }),
      }),
    );
    const { status, found = '', next } = findings.find((finding) => finding.name === 'database') ?? {};
    assert.deepEqual([status, next], ['fail', 'correct this setting']);
    assert.match(found, sentence);
  }
});

test('doctor says that a replica behind a transaction pooler is not used, and what to write instead', {
  skip,
}, async () => {
  await using cluster = await startCluster();
  await using pooler = await startPgBouncer(cluster.port, 'transaction');
  const env = { DATABASE_URL: cluster.url, DATABASE_READ_URL: pooler.url, DARKROOM_DATA_DIR: '/nowhere' };
  const findings = await Array.fromAsync(examineInstallation(env));
  const { status, found = '' } = findings.find(({ name }) => name === 'replica') ?? {};
  assert.equal(status, 'warn');
  assert.match(
    found,
    /^cannot be used: DATABASE_READ_URL leads to a pooler that pools by transaction: give /,
  );
});

/** The session that holds the upkeep lock, once it differs from this one. */
async function elected({ url }: Cluster, before?: unknown): Promise<unknown> {
  for (;;) {
    const [row] = await query(
      url,
      `select pid from pg_locks where locktype = 'advisory' and objid = 4736254`,
    );
    if (row && row.pid !== before) return row.pid;
  }
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows;
}

async function startPgBouncer(
  clusterPort: number,
  mode: 'session' | 'transaction',
): Promise<AsyncDisposable & { url: string }> {
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
pool_mode = ${mode}
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
