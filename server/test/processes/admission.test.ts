import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDatabase } from '../world/databases.ts';
import {
  type Client,
  clientOf,
  eachOf,
  persist,
  refusedPrompt,
  textPath,
  textPriceMicros,
} from './support/client.ts';
import { type Installation, openInstallation } from './support/installation.ts';

// PROCESSES_FULL=1 makes the published number of jobs.
const keys = process.env.PROCESSES_FULL ? 2_000 : 500;
const replays = 10;
const body = { prompt: refusedPrompt, aspect_ratio: '1:1' };

test(`${keys} idempotency keys, each sent ${replays} times at once over two API processes, make ${keys} jobs and ${keys} reservations`, async (t) => {
  await using place = await openInstallation(await createDatabase());
  const { accountId, key } = await place.account(BigInt(keys) * textPriceMicros);
  const clients = await twoApis(place, key);
  const jobs = new Set<unknown>();
  const began = performance.now();
  await eachOf(Array(keys).keys(), 6, async (number) => {
    const headers = { 'idempotency-key': `order-${number}` };
    const replies = await Promise.all(
      Array.from({ length: replays }, (_, index) =>
        persist(() => pick(clients, index)('POST', textPath, { body, headers })),
      ),
    );
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [202]);
    assert.equal(new Set(replies.map((reply) => reply.body.job_id)).size, 1);
    assert.equal(replies.filter((reply) => reply.headers.get('idempotent-replayed') === null).length, 1);
    jobs.add(replies[0]?.body.job_id);
  });
  t.diagnostic(`${keys * replays} creates in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  assert.equal(jobs.size, keys);
  assert.deepEqual(await countsOf(place, accountId), { jobs: keys, reserves: keys });
  assert.equal((await pick(clients, 0)('GET', '/balance')).body.available, '0.00');
});

test('two API processes that spend one balance at once accept exactly what it covers', async () => {
  const covered = 37;
  await using place = await openInstallation(await createDatabase());
  // What is left is less than another price.
  const { accountId, key } = await place.account(BigInt(covered + 1) * textPriceMicros - 1n);
  const clients = await twoApis(place, key);
  const replies = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      persist(() => pick(clients, index)('POST', textPath, { body })),
    ),
  );
  const statuses = Map.groupBy(replies, ({ status }) => status);
  assert.equal(statuses.get(202)?.length, covered);
  assert.equal(statuses.get(402)?.length, 200 - covered);
  assert.deepEqual(await countsOf(place, accountId), { jobs: covered, reserves: covered });
});

async function twoApis(place: Installation, key: string): Promise<Client[]> {
  const apis = await Promise.all([place.start('api'), place.start('api')]);
  return apis.map((api) => clientOf(api, key));
}

function pick(clients: readonly Client[], index: number): Client {
  const client = clients[index % clients.length];
  if (!client) throw new Error('no client');
  return client;
}

async function countsOf({ database }: Installation, accountId: string) {
  const jobs = await database.read
    .selectFrom('jobs')
    .select('id')
    .where('account_id', '=', accountId)
    .execute();
  const reserves = await database.read
    .selectFrom('entries')
    .select('job_id')
    .where('account_id', '=', accountId)
    .where('kind', '=', 'reserve')
    .execute();
  return { jobs: jobs.length, reserves: new Set(reserves.map(({ job_id }) => job_id)).size };
}
