import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/base/std/ids.ts';
import type { Job } from '../../src/jobs/job.ts';
import { insertJobs } from '../../src/jobs/job-store.ts';
import { createEndWriter } from '../../src/jobs/queue/end-writer.ts';
import { post } from '../../src/money/ledger/ledger-store.ts';
import { plainJob } from '../world/plain-job.ts';
import { claimOnce, maintainOnce } from '../world/run-once.ts';
import { openWorld, testRoutes, type World } from '../world/world.ts';

const priceMicros = 10_000n;

test('1,000 finishes by a worker that was presumed dead are refused, and those by its successors are not', async () => {
  await using world = await openWorld({ worker: false });
  await addJobs(world, 1_000);
  const zombies = await claim(world, 'zombie', 1_000);
  assert.equal(zombies.length, 1_000);
  await reclaimAll(world);
  const successors = await claim(world, 'successor', 1_000);
  assert.equal(successors.length, 1_000);

  const refused = await finishAll(world, zombies, 'zombie');
  assert.equal(refused.filter((written) => !written).length, 1_000);
  const balance = await world.balance();
  assert.deepEqual(balance, { balance: '100.00', reserved: '10.00', available: '90.00' });

  const written = await finishAll(world, successors, 'successor');
  assert.equal(written.filter(Boolean).length, 1_000);
  assert.deepEqual(await world.balance(), { balance: '90.00', reserved: '0.00', available: '90.00' });
  const late = await finishAll(world, zombies, 'zombie');
  assert.ok(
    late.every((again) => !again),
    'a zombie that comes after the end changes nothing either',
  );
});

async function addJobs({ app: { database }, accountId }: World, count: number): Promise<string[]> {
  const jobs = Array.from({ length: count }, () => ({
    ...plainJob,
    id: newId(Date.now()),
    accountId,
    keyId: newId(Date.now()),
    model: 'nb2',
    priceMicros,
    clientTokenId: null,
    requestId: null,
    idempotencyKey: null,
    batch: null,
  }));
  await database.transaction(async (tx) => {
    await insertJobs(tx, jobs, null);
    await post(
      tx,
      jobs.map(({ id }) => ({ accountId, kind: 'reserve', amountMicros: priceMicros, jobId: id })),
    );
  });
  return jobs.map(({ id }) => id);
}

async function claim({ app, watch, provider }: World, worker: string, limit: number): Promise<Job[]> {
  return claimOnce(app.database, watch, {
    worker,
    routes: testRoutes(provider, { slots: 2_000 }),
    limit,
    leaseMs: 0,
  });
}

async function reclaimAll({ app: { database }, watch }: World): Promise<void> {
  for (;;) {
    const { reclaimed, failed } = await maintainOnce(database, watch);
    if (reclaimed + failed === 0) return;
  }
}

async function finishAll(
  { app: { database } }: World,
  jobs: readonly Job[],
  worker: string,
): Promise<boolean[]> {
  const finish = createEndWriter(database, () => {});
  const mediaType = 'image/png' as const;
  const image = {
    key: 'results/none/1.png',
    mediaType,
    width: 1024,
    height: 1024,
    bytes: 1,
    sha256: '0'.repeat(64),
  };
  return Promise.all(
    jobs.map(({ id, attempt }) =>
      finish({
        kind: 'settle',
        settlement: {
          jobId: id,
          attempt,
          worker,
          outcome: { status: 'done', image, aspectRatio: '1:1', notes: [], costMicros: null },
        },
      }),
    ),
  );
}
