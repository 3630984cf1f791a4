import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ProcessLate } from '../../src/base/db/database.ts';
import { readNow } from '../../src/base/db/rows.ts';
import { registerHealth } from '../../src/base/http/health-calls.ts';
import { toAppError } from '../../src/base/http/send-problem.ts';
import { createServer } from '../../src/base/http/server.ts';
import { createMeter } from '../../src/base/metrics/meter.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld } from '../world/world.ts';

test('/livez and /readyz answer without a key, at GET and HEAD, whatever the rate limit', async () => {
  await using world = await openWorld({
    worker: false,
    config: { rateLimit: { perSecond: 0.001, burst: 1 } },
  });
  for (const [path, status] of [
    ['/livez', 'alive'],
    ['/readyz', 'ready'],
  ]) {
    for (let nth = 0; nth < 3; nth += 1) {
      const reply = await fetch(`${world.url}${path}`);
      assert.equal(reply.status, 200);
      assert.deepEqual(await reply.json(), { status });
      assert.equal(reply.headers.get('cache-control'), 'no-store');
      assert.equal((await fetch(`${world.url}${path}`, { method: 'HEAD' })).status, 200);
    }
    assert.equal((await fetch(`${world.url}${path}`, { method: 'POST' })).headers.get('allow'), 'GET, HEAD');
  }
});

test('/readyz is 503 while the database hangs, and concurrent requests share one query', async () => {
  let asked = 0;
  const answer = Promise.withResolvers<number>();
  const server = createServer({ log: silentLog, meter: createMeter(), publicUrl: () => 'http://localhost' });
  registerHealth(server, {
    askDatabase: async () => {
      asked += 1;
      return answer.promise;
    },
    isDiskFull: async () => false,
    isRetired: () => false,
  });
  const ask = () => server.inject('/readyz');
  const replies = await Promise.all([ask(), ask(), ask()]);
  assert.deepEqual(
    replies.map((reply) => [reply.statusCode, reply.json().code, reply.headers['retry-after']]),
    replies.map(() => [503, 'database_unavailable', '2']),
  );
  assert.equal(asked, 1);
  answer.resolve(0);
  assert.equal((await ask()).statusCode, 200);
  await server.close();
});

test('a process that had no time to read the answer does not report the database as down', async () => {
  const { stdin, stdout } = spawn('cat', { stdio: ['pipe', 'pipe', 'ignore'] });
  stdin.write('ready?');
  await once(stdout, 'data');
  const server = createServer({ log: silentLog, meter: createMeter(), publicUrl: () => 'http://localhost' });
  registerHealth(server, {
    // The answer arrives at once, but this process is too busy to read it.
    async askDatabase() {
      await nextTurn(); // timers run next, before anything is read
      const answer = once(stdout, 'data');
      stdin.write('now?');
      block(1_500);
      return answer;
    },
    isDiskFull: async () => false,
    isRetired: () => false,
  });
  const { statusCode } = await server.inject('/readyz');
  assert.equal(statusCode, 200);
  await server.close();
  stdin.end();
});

test('with a full disk, /readyz fails with the reason, so that creates go elsewhere', async () => {
  let isFull = true;
  const server = createServer({ log: silentLog, meter: createMeter(), publicUrl: () => 'http://localhost' });
  registerHealth(server, {
    askDatabase: async () => 0,
    isDiskFull: async () => isFull,
    isRetired: () => false,
  });
  const reply = await server.inject('/readyz');
  assert.deepEqual([reply.statusCode, reply.json().code], [503, 'overloaded']);
  assert.match(reply.json().detail, /disk/);
  assert.equal((await server.inject('/livez')).statusCode, 200);
  isFull = false;
  assert.equal((await server.inject('/readyz')).statusCode, 200);
  await server.close();
});

test('a process reports its own delay, and the free space on its disks', async () => {
  await using world = await openWorld({ worker: false });
  block(2_000);
  await nextTurn();
  const text = await (await fetch(`${world.url}/metrics`)).text();
  assert.ok(metricOf(text, 'darkroom_own_delay_ratio') > 0.1);
  assert.ok(metricOf(text, 'darkroom_disk_free_bytes{folder="data"}') > 0);
});

test('an answer that a process was too late to read does not count against the database', async (t) => {
  await using world = await openWorld({ worker: false });
  const { database } = world.app;
  if (database.kind === 'sqlite') return t.skip('SQLite has no connections to wait for');
  const asks = Promise.allSettled(
    Array.from({ length: 40 }, () => database.transaction((tx) => readNow(tx))),
  );
  await nextTurn();
  block(4_000);
  const failed = (await asks).flatMap((ask) => (ask.status === 'rejected' ? [ask.reason] : []));
  assert.ok(failed.length > 0, 'nothing waited for a connection');
  for (const reason of failed) {
    assert.ok(reason instanceof ProcessLate, String(reason));
    assert.doesNotMatch(toAppError(reason).message, /database/);
  }
});

function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

function metricOf(text: string, name: string): number {
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  assert.ok(line, `${name} is not among the metrics`);
  return Number(line.slice(name.length));
}
