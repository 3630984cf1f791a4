import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClaimedJob } from '../../src/jobs/queue/claim-jobs.ts';
import { createEndWriter } from '../../src/jobs/queue/end-writer.ts';
import { claimOnce } from '../world/run-once.ts';
import { openWorld, testRoutes, type World } from '../world/world.ts';

const timeout = 120_000;

async function postBatch(world: World, count: number): Promise<void> {
  const body = { prompt: 'a fox', aspect_ratio: '1:1' };
  const requests = Array.from({ length: count }, () => ({ model: 'nb2', mode: 'text', body }));
  const { status } = await world.send('POST', '/batches', { body: { requests } });
  assert.equal(status, 202);
}

async function serve({ app, watch, provider }: World, limit = 1): Promise<ClaimedJob[]> {
  const routes = testRoutes(provider, { slots: limit }).filter(({ model }) => model === 'nb2');
  const jobs = await claimOnce(app.database, watch, { worker: 'own', routes, limit, leaseMs: 60_000 });
  const write = createEndWriter(app.database, () => {});
  const outcome = { status: 'failed', error: 'No.', errorCode: 'safety_blocked' } as const;
  for (const { id, attempt } of jobs)
    await write({ kind: 'settle', settlement: { jobId: id, attempt, worker: 'own', outcome } });
  return jobs;
}

async function aheadOf(world: World, jobId: string): Promise<number> {
  const { body } = await world.send('GET', `/jobs/${jobId}`);
  return (body.queue as { ahead: number }).ahead;
}

test('jobs behind two batches of their account are among the next, and the queue says so', {
  timeout,
}, async () => {
  await using world = await openWorld({ worker: false });
  await postBatch(world, 900);
  await postBatch(world, 213);
  const ids: string[] = [];
  while (ids.length < 8) ids.push(await world.create());
  const ahead = await Promise.all(ids.map((id) => aheadOf(world, id)));
  const served: string[] = [];
  while (!ids.every((id) => served.includes(id))) {
    const [job] = await serve(world);
    assert.ok(job && served.length < 100, `${served.length} jobs were served`);
    served.push(job.id);
  }
  assert.deepEqual(
    ahead,
    ids.map((id) => served.indexOf(id)),
  );
});

test('a batch continues, however many other jobs its account sends', { timeout }, async () => {
  await using world = await openWorld({ worker: false });
  await postBatch(world, 300);
  const others = new Set<string>();
  let [served, ofBatch] = [0, 0];
  for (; served < 160; served += 1) {
    while (others.size < 3) others.add(await world.create());
    const [job] = await serve(world);
    if (!job || !others.delete(job.id)) ofBatch += 1;
  }
  // In 160 draws at one in four, fewer than 15 or more than 70 hits occur once in a million runs.
  assert.ok(ofBatch >= 15 && ofBatch <= 70, `${ofBatch} of ${served} were of the batch`);
});

test('jobs that an account sent before its batch come before it', async () => {
  await using world = await openWorld({ worker: false });
  const first = [await world.create(), await world.create(), await world.create()];
  await postBatch(world, 50);
  const served = [await serve(world), await serve(world), await serve(world)].flat();
  assert.deepEqual(
    served.map(({ id }) => id),
    first.toSorted(),
  );
});

test('a job behind a batch is among the next while one from before the batch waits', async () => {
  await using world = await openWorld({ worker: false });
  const before = await world.create();
  await postBatch(world, 50);
  const behind = await world.create();
  const unserved = await world.create('/nb/text-generations');
  const served = (await serve(world, 16)).map(({ id }) => id);
  // The batch goes first in all other turns once in 4^15 runs.
  assert.ok(served.includes(before) && served.includes(behind));
  assert.ok(!served.includes(unserved), 'a job of a model without a route');
});
