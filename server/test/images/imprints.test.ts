import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import sharp from 'sharp';
import { dropContent } from '../../src/jobs/drop-content-store.ts';
import { openOwnAccount } from '../jobs/support/own-account.ts';
import { expire } from '../world/expire.ts';
import { holdTransaction, somebodyWaits } from '../world/hold-transaction.ts';
import { TestProvider } from '../world/provider.ts';
import { openWorld, testRoutes } from '../world/world.ts';
import { drawing } from './support/drawing.ts';

const provider = new TestProvider();
provider.capabilities.exact = false;
provider.handler = async ({ width, height, prompt }) => ({ bytes: await drawing(prompt, width, height) });
const world = await openWorld({
  config: { publicVerify: true },
  replacements: { routes: testRoutes(provider) },
});
after(() => world[Symbol.asyncDispose]());

async function make(prompt: string): Promise<string> {
  const jobId = await world.create('/nb2/text-generations', { prompt });
  const { thumbnail_url } = (await world.finished(jobId)).result as { thumbnail_url: string };
  assert.equal((await fetch(thumbnail_url)).status, 200);
  return jobId;
}

async function hasImprint(jobId: string): Promise<boolean> {
  const { read } = world.app.database;
  return (await sql`select 1 from imprints where job_id = ${jobId}`.execute(read)).rows.length > 0;
}

test('a result has an imprint once it has been examined, until its image is deleted', async () => {
  const jobId = await make('seen');
  assert.equal(await hasImprint(jobId), true);
  assert.equal((await world.send('DELETE', `/jobs/${jobId}/image`)).status, 204);
  assert.equal(await hasImprint(jobId), false);
});

test('an image that shows nothing has no imprint', async () => {
  provider.handler = async ({ width, height }) => ({ bytes: await drawing(null, width, height) });
  assert.equal(await hasImprint(await make('nothing')), false);
  provider.handler = async ({ width, height, prompt }) => ({ bytes: await drawing(prompt, width, height) });
});

test('an imprint is purged with its job', async () => {
  const jobId = await make('old');
  assert.equal(await hasImprint(jobId), true);
  await world.jump(1_000);
  await expire(world.app, 0);
  assert.equal(await hasImprint(jobId), false);
});

async function imageOf(jobId: string): Promise<Buffer> {
  const { image_url } = (await world.finished(jobId)).result as { image_url: string };
  return Buffer.from(await (await fetch(image_url)).arrayBuffer());
}

/** Later than the earlier requests, so that the address's limit is not reached. */
async function ask(image: Uint8Array, key?: string): Promise<Record<string, unknown>> {
  await world.jump(60_000);
  const headers = {
    'content-type': 'image/png',
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  const reply = await fetch(`${world.url}/verify`, { method: 'POST', body: new Uint8Array(image), headers });
  assert.equal(reply.status, 200);
  return (await reply.json()) as Record<string, unknown>;
}

test('copies that were scaled, cut by 2 % or saved as JPEG are recognised, and their job is not revealed', async () => {
  const jobId = await make('a fox that is passed on');
  const image = await imageOf(jobId);
  const { width, height } = await sharp(image).metadata();
  const [x, y] = [Math.round(width * 0.02), Math.round(height * 0.02)];
  const copies = [
    sharp(image).resize({ width: 200 }),
    sharp(image).extract({ left: x, top: y, width: width - x, height: height - y }),
    sharp(image).jpeg({ quality: 70 }),
  ];
  for (const copy of copies) {
    const { made_here, how, model, job_id } = await ask(await copy.toBuffer());
    assert.deepEqual([made_here, how, model, job_id], [true, 'similar', 'nb2', undefined]);
  }
});

test('a key of the image’s account learns which job made it, a key of another account does not', async () => {
  const jobId = await make('a fox of our own');
  const copy = await sharp(await imageOf(jobId))
    .jpeg()
    .toBuffer();
  const stranger = await openOwnAccount(world, 'stranger');
  assert.equal((await ask(copy, world.key)).job_id, jobId);
  assert.equal((await ask(copy, stranger.key)).job_id, undefined);
});

test('neither other images nor undecodable files are taken for ours', async () => {
  const image = await imageOf(await make('a fox that stays'));
  const other = await drawing('another fox', 300, 300);
  for (const asked of [other, image.subarray(0, 5_000)]) assert.equal((await ask(asked)).made_here, false);
});

test('images with the same imprint are distinguished by their pixels', async () => {
  const image = await imageOf(await make('a fox with a twin'));
  const { width, height } = await sharp(image).metadata();
  // The low frequencies hardly change.
  const spots = await sharp(await drawing('spots', 24, 24))
    .resize({ width, height, fit: 'fill', kernel: 'nearest' })
    .ensureAlpha(0.3)
    .png()
    .toBuffer();
  const twin = await sharp(image)
    .composite([{ input: spots }])
    .png()
    .toBuffer();
  assert.equal((await ask(twin)).made_here, false);
});

test('jobs with similar images are listed, only within their own account', async () => {
  provider.handler = async ({ width, height, prompt }) => {
    const bytes = await drawing(prompt.replace(/, .*/, ''), width, height);
    const [w, h] = [Math.round(width * 0.99), Math.round(height * 0.99)];
    const cut = sharp(bytes).extract({ left: 0, top: 0, width: w, height: h });
    return { bytes: prompt.endsWith('cut') ? await cut.png().toBuffer() : bytes };
  };
  const own = await openOwnAccount(world, 'looks');
  const stranger = await openOwnAccount(world, 'other looks');
  const makeIn = async ({ make: create, finished }: typeof own, prompt: string) => {
    const jobId = await create({ prompt });
    const { thumbnail_url } = (await finished(jobId)).result as { thumbnail_url: string };
    assert.equal((await fetch(thumbnail_url)).status, 200);
    return jobId;
  };
  const hill = await makeIn(own, 'a hill');
  const cut = await makeIn(own, 'a hill, cut');
  const again = await makeIn(own, 'a hill, again');
  const sea = await makeIn(own, 'a sea');
  await makeIn(stranger, 'a hill');
  assert.deepEqual(await own.list({ similar_to: cut }), [again, cut, hill]);
  assert.deepEqual(await own.list({ similar_to: sea }), [sea]);
  assert.deepEqual(await own.list({ similar_to: cut, q: 'again' }), [again]);
  assert.deepEqual(await own.list({ duplicates: 'true' }), [again, hill]);
  assert.deepEqual(await own.list({ duplicates: 'true', limit: '1' }), [again]);
  assert.deepEqual(await stranger.list({ duplicates: 'true' }), []);
  assert.equal((await own.list({ duplicates: 'false' })).length, (await own.list({})).length);
  assert.equal((await stranger.send('GET', `/jobs?similar_to=${hill}`)).status, 422);
  assert.equal((await own.send('DELETE', `/jobs/${again}/image`)).status, 204);
  assert.deepEqual(await own.list({ duplicates: 'true' }), [], 'the one that is left is alone');
  const third = await makeIn(own, 'a hill, a third time');
  assert.deepEqual(await own.list({ duplicates: 'true' }), [third, hill]);
});

test('similar images are found as duplicates, however many are examined at the same moment', async () => {
  const own = await openOwnAccount(world, 'many looks');
  const jobs: string[] = [];
  for (let nth = 0; nth < 6; nth += 1) jobs.push(await own.make({ prompt: 'a lake' }));
  await Promise.all(
    jobs.map(async (jobId) => {
      const { thumbnail_url } = (await own.finished(jobId)).result as { thumbnail_url: string };
      await fetch(thumbnail_url);
    }),
  );
  assert.deepEqual(await own.list({ duplicates: 'true' }), jobs.toReversed());
});

test('an image that is deleted while a similar one is examined leaves no trace among duplicates', {
  skip: process.env.TEST_DATABASE_URL === undefined && 'needs PostgreSQL: SQLite has one writer at a time',
}, async () => {
  const own = await openOwnAccount(world, 'late looks');
  const [first, second] = [await own.make({ prompt: 'a river' }), await own.make({ prompt: 'a river' })];
  const look = async (jobId: string) => {
    const { thumbnail_url } = (await own.finished(jobId)).result as { thumbnail_url: string };
    assert.equal((await fetch(thumbnail_url)).status, 200);
  };
  await look(first);
  const { begun, end } = holdTransaction(world, (tx) => dropContent(tx, [first]));
  await begun;
  const looking = look(second);
  await Promise.race([looking, somebodyWaits(world)]);
  await end();
  await looking;
  const noted = sql`select 1 from duplicates where job_id in (${first}, ${second})`;
  assert.deepEqual((await noted.execute(world.app.database.read)).rows, []);
  assert.equal(await hasImprint(second), true);
});
