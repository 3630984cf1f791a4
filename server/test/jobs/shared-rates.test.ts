import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { commandLine } from '../../src/accounts/audit-store.ts';
import { createKey } from '../../src/accounts/create-key.ts';
import { startApp } from '../../src/app.ts';
import type { LimitChanges } from '../../src/limits/limit.ts';
import { bearer, eventually } from '../http/support/requests.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld } from '../world/world.ts';

const onPostgres = process.env.TEST_DATABASE_URL ? test : test.skip;

async function openTwo(limits: LimitChanges) {
  const world = await openWorld({ worker: false });
  const second = await startApp(world.config, { clock: world.clock, log: silentLog });
  const { database } = world.app;
  const made = await createKey(
    { database, clock: world.clock },
    { account: world.accountId, limits },
    commandLine,
  );
  const ask = async (url: string | null) => {
    const answer = await fetch(`${url}/api/v1/balance`, { headers: bearer(made.key) });
    await answer.arrayBuffer();
    return answer.status;
  };
  return {
    world,
    ask: [() => ask(world.url), () => ask(second.url)] as const,
    asked: () => database.read.selectFrom('rates').select(['id', 'asked', 'micros']).execute(),
    async [Symbol.asyncDispose]() {
      await second[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

onPostgres('two servers together let in what the limit of a key says', async () => {
  await using two = await openTwo({ second: 40n });
  const seconds = 4;
  const endsAt = performance.now() + seconds * 1000;
  const letIn = await Promise.all(
    two.ask.map(async (ask) => {
      let count = 0;
      while (performance.now() < endsAt) if ((await ask()) === 200) count += 1;
      return count;
    }),
  );
  const together = (letIn[0] ?? 0) + (letIn[1] ?? 0);
  const allowed = 40 + seconds * 40; // a full bucket, and what comes into it
  // Until they hear of one another they may take twice, which is earned back: at most a bucket of debt, and one that is not told yet.
  // Each with a bucket of its own, they would let in 400.
  assert.ok(together > allowed * 0.7 && together < allowed + 2 * 40, `${letIn} of ${allowed}`);
  assert.ok(Math.min(...letIn) > allowed * 0.15, `${letIn}`);
});

onPostgres('what one server let in is gone for the other', async () => {
  await using two = await openTwo({ minute: 20n });
  const [ask, other] = two.ask;
  for (let count = 0; count < 20; count += 1) assert.equal(await ask(), 200);
  assert.equal(await ask(), 429);
  await eventually(two.asked, ([bucket]) => bucket?.asked === 21);
  await eventually(other, (status) => status === 429);
  const [bucket] = await two.asked();
  assert.ok((bucket?.micros ?? 0) < 1_000_000);
});

onPostgres('a database that does not answer stops no request', async () => {
  await using two = await openTwo({ second: 1_000n });
  const [ask] = two.ask;
  assert.equal(await ask(), 200);
  const client = new pg.Client({ connectionString: two.world.config.databaseUrl ?? '' });
  await client.connect();
  await client.query('begin; lock table rates in access exclusive mode');
  for (let count = 0; count < 50; count += 1) assert.equal(await ask(), 200);
  await client.query('commit');
  await client.end();
  const counted = await eventually(two.asked, ([bucket]) => (bucket?.asked ?? 0) >= 51);
  assert.equal(counted.length, 1);
});
