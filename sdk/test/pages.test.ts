import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openWebhookWorld } from '../../server/test/webhooks/support/webhook-world.ts';
import { openWorld } from '../../server/test/world/world.ts';
import { Darkroom } from '../src/index.ts';

test('lists are their first page when awaited, and all items when iterated, from a real server', async () => {
  await using webhooks = await openWebhookWorld();
  const { world } = webhooks;
  const darkroom = new Darkroom({ baseUrl: world.url, apiKey: world.key });
  const jobs = [await webhooks.failJob(), await webhooks.failJob(), await webhooks.failJob()];
  assert.equal((await darkroom.listJobs({ limit: 2 })).data.length, 2);
  const newestFirst = await Array.fromAsync(darkroom.listJobs({ limit: 1 }), ({ job_id }) => job_id);
  assert.deepEqual(newestFirst, jobs.toReversed());
  const entries = await Array.fromAsync(darkroom.listEntries({ limit: 2, kind: 'release' }));
  assert.deepEqual(
    entries.map(({ job_id }) => job_id),
    jobs.toReversed(),
  );
  const events = await Array.fromAsync(darkroom.listEvents({ limit: 2 }), ({ data }) => data.job_id);
  assert.deepEqual(events, jobs);
  const months = await darkroom.listStatements();
  const statements = await Array.fromAsync(darkroom.statements(), ({ month }) => month);
  assert.deepEqual([statements, statements.length], [months, 1]);
});

test('events are followed as they happen, and from a kept cursor', {
  timeout: 60_000,
}, async () => {
  await using webhooks = await openWebhookWorld();
  const { world } = webhooks;
  const darkroom = new Darkroom({ baseUrl: world.url, apiKey: world.key });
  const first = await webhooks.failJob();
  const followed: string[] = [];
  const kept: string[] = [];
  for await (const { data, next_cursor } of darkroom.followEvents({}, { pauseMs: 10 })) {
    followed.push(...data.map((event) => event.data.job_id));
    kept.push(next_cursor);
    if (followed.length === 2) break;
    await webhooks.failJob();
  }
  assert.equal(followed[0], first);
  for await (const { data } of darkroom.followEvents({ cursor: kept[0] ?? '' })) {
    assert.equal(data[0]?.data.job_id, followed[1]);
    break;
  }
  const stop = new AbortController();
  const waiting = darkroom.followEvents({ cursor: kept[1] ?? '' }, { signal: stop.signal }).next();
  stop.abort(new Error('enough'));
  await assert.rejects(waiting, /enough/);
});

test('the images of jobs come as a zip, in pieces', async () => {
  await using world = await openWorld();
  const darkroom = new Darkroom({ baseUrl: world.url, apiKey: world.key });
  const jobId = await world.create();
  await world.finished(jobId);
  const zip = Buffer.concat(await Array.fromAsync(darkroom.downloadImages([jobId])));
  assert.equal(zip.subarray(0, 2).toString(), 'PK');
  assert.ok(zip.includes(jobId));
});
