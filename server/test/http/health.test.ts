import assert from 'node:assert/strict';
import { test } from 'node:test';
import { registerHealth } from '../../src/http/health-calls.ts';
import { createServer } from '../../src/http/server.ts';
import { createMeter } from '../../src/metrics/meter.ts';
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

test('/readyz is 503 while the database hangs; whoever asks meanwhile shares one question', async () => {
  let asked = 0;
  const answer = Promise.withResolvers<number>();
  const server = createServer({ log: silentLog, meter: createMeter(), publicUrl: () => 'http://localhost' });
  registerHealth(server, {
    askDatabase: async () => {
      asked += 1;
      return answer.promise;
    },
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
