import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { keyActor } from '../../src/base/audit/audit-store.ts';
import { connect } from '../../src/base/db/connect.ts';
import type { Database } from '../../src/base/db/database.ts';
import { deleteImage } from '../../src/jobs/delete-images.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld, type World } from '../world/world.ts';

const hourMs = 3_600_000;

let world: World;
/** The database as another process has it open, with its own cache. */
let elsewhere: Database;
before(async () => {
  world = await openWorld();
  const { databaseUrl: url, dataDir } = world.config;
  elsewhere = await connect({ url, dataDir, clock: world.clock });
});
after(async () => {
  await elsewhere[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

async function read(jobId: string, key = world.key) {
  const { status, headers, body } = await world.send('GET', `/jobs/${jobId}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return { status, type: headers.get('content-type'), body };
}

test('an ended job gives the same answer each time, and only to its account', async () => {
  const jobId = await world.create();
  const first = await world.finished(jobId);
  const { key } = await world.account('strangers');
  for (const attempt of [1, 2]) {
    const { status, type, body } = await read(jobId);
    assert.deepEqual([status, type, body], [200, 'application/json; charset=utf-8', first], `${attempt}`);
    assert.equal((await read(jobId, key)).status, 404);
  }
});

test('an image that another process deletes is gone from the next answer', async () => {
  const jobId = await world.create();
  const { prompt } = await world.finished(jobId);
  assert.equal(prompt, 'a fox');
  const { images } = world.app;
  const by = keyActor({ name: 'tests', hint: 'dk_…' });
  await deleteImage(
    { database: elsewhere, images, log: silentLog, mayRemove: async () => false },
    { accountId: world.accountId, jobId, by },
  );
  const { body } = await read(jobId);
  const result = body.result as Record<string, unknown>; // a done job has a result
  assert.deepEqual([body.prompt, result.image_url], ['', undefined]);
  assert.ok(result.image_deleted_at);
});

test('a job that another process removes is unknown in the next answer', async () => {
  const jobId = await world.create();
  await world.finished(jobId);
  await elsewhere.transaction(async (tx) => {
    await tx.deleteFrom('events').where('job_id', '=', jobId).execute();
    await tx.deleteFrom('jobs').where('id', '=', jobId).execute();
  });
  assert.equal((await read(jobId)).status, 404);
});

test('links are signed again each hour', async () => {
  const jobId = await world.create();
  const linkOf = ({ result }: Record<string, unknown>) => String((result as { image_url: string }).image_url);
  const before = linkOf(await world.finished(jobId));
  await world.jump(hourMs);
  const { body } = await read(jobId);
  assert.notEqual(linkOf(body), before);
  assert.equal((await fetch(linkOf(body))).status, 200);
  await world.jump(-hourMs);
});
