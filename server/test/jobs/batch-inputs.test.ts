import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually } from '../http/support/requests.ts';
import { plainPng } from '../world/provider.ts';
import { openWorld, type World } from '../world/world.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world[Symbol.asyncDispose]());

async function upload(key = world.key): Promise<{ upload_id: string; url: string }> {
  const answer = await fetch(`${world.url}/api/v1/uploads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'image/png' },
    body: new Uint8Array(plainPng(90, 40)),
  });
  return (await answer.json()) as { upload_id: string; url: string };
}

function edit(...urls: string[]) {
  const body = { prompt: 'at night', aspect_ratio: 'auto', input_images_urls: urls };
  return { model: 'nb2', mode: 'url', body };
}

const fromText = { model: 'nb2', mode: 'text', body: { prompt: 'a fox', aspect_ratio: '1:1' } };

function post(requests: object[], headers: Record<string, string> = {}) {
  return world.send('POST', '/batches', { body: { requests }, headers });
}

async function storedInputs(): Promise<number> {
  return (await Array.fromAsync(world.app.images.list('inputs/'))).length;
}

test('uploads and results can be inputs of a batch: each job has its own copy, and the batch outlives them', async () => {
  const { upload_id, url } = await upload();
  const source = await world.create();
  const { image_url } = (await world.finished(source)).result as { image_url: string };
  const headers = { 'idempotency-key': 'with-inputs' };
  const chosen = { ...fromText, body: { ...fromText.body, aspect_ratio: 'auto' } };
  const requests = [edit(url), chosen, edit(url), edit(image_url, url)];
  const made = await post(requests, headers);
  assert.equal(made.status, 202, JSON.stringify(made.body));
  assert.equal((await world.send('DELETE', `/uploads/${upload_id}`)).status, 204);
  const again = await post(requests, headers);
  assert.deepEqual([again.status, again.body.batch_id], [202, made.body.batch_id]);

  const { read } = world.app.database;
  const query = read.selectFrom('jobs').selectAll().where('batch_id', '=', String(made.body.batch_id));
  const ids = (await query.orderBy('batch_index').execute()).map(({ id }) => id);
  const jobs = await Promise.all(ids.map((id) => world.finished(id)));
  assert.deepEqual(
    jobs.map(({ status, mode, aspect_ratio, input_images_urls: inputs }) => [
      status,
      mode,
      aspect_ratio,
      (inputs as string[]).length,
    ]),
    [
      ['done', 'url', '21:9', 1],
      ['done', 'text', '1:1', 0],
      ['done', 'url', '21:9', 1],
      ['done', 'url', '1:1', 2],
    ],
  );
  assert.equal(await storedInputs(), 4);
  assert.deepEqual(jobs[3]?.origin, { job_id: source, kind: 'input' });
  const links = jobs.flatMap((job) => job.input_images_urls as string[]);
  assert.equal(new Set(links.map((link) => new URL(link).pathname)).size, 4);
  for (const link of links) assert.equal((await fetch(link)).status, 200);
});

test('images from elsewhere are refused before any input is read, and unusable inputs are named by their place', async () => {
  const before = { inputs: await storedInputs(), balance: await world.balance() };
  const { url } = await upload();
  const foreign = await post([edit(url), edit(url, 'https://example.com/cat.jpg')]);
  assert.deepEqual(
    [foreign.status, (foreign.body.errors as { pointer: string }[]).map(({ pointer }) => pointer)],
    [422, ['/requests/1/body/input_images_urls/1']],
  );
  const stranger = await world.account('stranger');
  const theirs = await upload(stranger.key);
  const blocked = await post([edit(url), fromText, edit(url, theirs.url)]);
  const [error] = blocked.body.errors as { pointer: string; code: string }[];
  assert.deepEqual(
    [blocked.status, blocked.body.code, error?.pointer, error?.code],
    [422, 'inputs_unusable', '/requests/2/body/input_images_urls/1', 'input_blocked'],
  );
  const quote = { body: { requests: [edit(url), fromText, edit(url, theirs.url)] } };
  const { body: quoted } = await world.send('POST', '/batches?dry_run=true', quote);
  assert.deepEqual([quoted.accepted, quoted.reasons], [false, ['inputs_unusable']]);
  const { body: good } = await world.send('POST', '/batches?dry_run=true', {
    body: { requests: [edit(url), fromText, edit(url, url)] },
  });
  assert.deepEqual([good.accepted, good.reasons], [true, []]);
  const many = await post(Array.from({ length: 101 }, () => edit(...Array<string>(10).fill(url))));
  assert.match(String(many.body.detail), /at most 1,000 input images/);
  assert.deepEqual({ inputs: await storedInputs(), balance: await world.balance() }, before);
});

test('two batches sent at once under one key read their inputs once', async () => {
  const { url } = await upload();
  const before = await storedInputs();
  const headers = { 'idempotency-key': 'twice' };
  const requests = Array.from({ length: 20 }, () => edit(url));
  const answers = await Promise.all([post(requests, headers), post(requests, headers)]);
  assert.equal(new Set(answers.map(({ status, body }) => `${status} ${body.batch_id}`)).size, 1);
  assert.equal(answers[0]?.status, 202);
  assert.equal((await storedInputs()) - before, 20);
});

test('once an input cannot be used, the inputs of later requests are not read', async (t) => {
  const { url } = await upload();
  const theirs = await upload((await world.account('another')).key);
  // Requests with the same inputs would read them once.
  const requests = Array.from({ length: 12 }, (_, index) => edit(...Array<string>(index + 1).fill(url)));
  const { images } = world.app;
  const store = images.put.bind(images);
  const whenRefused = Promise.withResolvers<void>();
  const put = t.mock.method(images, 'put', async (...image: Parameters<typeof store>) => {
    await whenRefused.promise;
    return store(...image);
  });
  // Leaves out the results of earlier tests' jobs.
  const stored = () => put.mock.calls.filter(({ arguments: [key] }) => key.startsWith('inputs/')).length;
  const answer = post([edit(theirs.url), ...requests]);
  // A batch takes the inputs of four requests at once. Each has a folder until its inputs are refused or stored.
  await eventually(
    async () => [stored(), (await readdir(join(world.config.dataDir, 'incoming'))).length],
    ([inputs, folders]) => inputs === 3 && folders === 3,
  ).finally(whenRefused.resolve);
  assert.equal((await answer).status, 422);
  assert.equal(stored(), 3);
});
