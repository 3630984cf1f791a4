import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { pauseJobs, resumeJobs } from '../../src/jobs/admission/pause-jobs.ts';
import { assertProblem, assertRefused } from '../http/support/refusal.ts';
import { eventually } from '../http/support/requests.ts';
import { changeModel, changePrice } from '../world/change-model.ts';
import { openWorld } from '../world/world.ts';

const world = await openWorld();
after(() => world[Symbol.asyncDispose]());

const body = { prompt: 'a fox', aspect_ratio: '16:9' };

function quote(fields: object = {}, { path = '/nb2/text-generations', key = world.key, headers = {} } = {}) {
  return world.send('POST', `${path}?dry_run=true`, {
    body: { ...body, ...fields },
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
}

async function countRows(): Promise<number[]> {
  const { read } = world.app.database;
  const tables = [
    'jobs',
    'entries',
    'idempotency_keys',
    'events',
    'limits',
    'uploads',
    'audit_log',
    'batches',
  ] as const;
  return Promise.all(
    tables.map(async (table) => {
      const { count } = await read
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    }),
  );
}

test('a quote gives price, pixels, time, and whether a create would be accepted; it writes nothing', async () => {
  // Times are unknown until the worker of the started server has reported itself.
  await eventually(quote, ({ body }) => body.eta !== null);
  const before = [await countRows(), await world.balance()];
  const headers = { 'idempotency-key': 'a-quote' };
  for (const _ of [1, 2]) {
    const { status, body } = await quote({ resolution: '2K' }, { headers });
    assert.equal(status, 200);
    const { eta, ...rest } = body as { eta: { p50: number; p95: number } };
    assert.ok(eta.p50 > 0 && eta.p95 > eta.p50);
    assert.deepEqual(rest, {
      price: '0.06',
      width: 2752,
      height: 1536,
      accepted: true,
      reasons: [],
      detail: null,
    });
  }
  const inputs = { input_images_urls: ['https://example.com/nothing-there.png'], aspect_ratio: 'auto' };
  const fromImages = await quote(inputs, { path: '/url-generations' });
  assert.deepEqual([fromImages.body.width, fromImages.body.accepted], [null, true]);
  assert.deepEqual([await countRows(), await world.balance()], before);
  // The quote did not use its key.
  const created = await world.send('POST', '/nb2/text-generations', { body, headers });
  assert.equal(created.status, 202);
  await world.finished(String(created.body.job_id));
});

test('a quote names every reason for which a create would be refused; the create gets the first', async () => {
  const { key } = await world.account('poor', { creditMicros: 10_000n });
  await pauseJobs(world.app, { scope: 'nb2', reason: null, until: null }, commandLine);
  try {
    const { status, body: quoted } = await quote({}, { key });
    assert.deepEqual(
      [status, quoted.accepted, quoted.reasons],
      [200, false, ['model_paused', 'insufficient_funds']],
    );
    const headers = { authorization: `Bearer ${key}` };
    const created = await world.send('POST', '/nb2/text-generations', { body, headers });
    assert.equal(created.body.code, 'model_paused');
  } finally {
    await resumeJobs(world.app, { scope: 'nb2' }, commandLine);
  }
});

test('a quote checks our own links, which a create opens without a connection', async () => {
  const { result } = await world.finished(await world.create('/nb2/text-generations', body));
  const { image_url: link } = result as { image_url: string };
  const ask = (url: string) => quote({ input_images_urls: [url] }, { path: '/nb2/url-generations' });
  assert.equal((await ask(link)).body.accepted, true);
  const { body: quoted } = await ask(link.replace(/.{4}$/, 'AAAA'));
  assert.deepEqual([quoted.accepted, quoted.reasons], [false, ['inputs_unusable']]);
  assert.match(String(quoted.detail), /does not belong to this server, or was changed/);
});

test('an invalid quote is answered as its create is', async () => {
  const wrong = { aspect_ratio: '17:9', resolution: '9K' };
  const created = await world.send('POST', '/nb2/text-generations', { body: { ...body, ...wrong } });
  const { status, body: refused } = await quote(wrong);
  assert.equal(status, created.status);
  assert.deepEqual(refused.errors, created.body.errors);
  const unsure = () => world.send('POST', '/nb2/text-generations?dry_run=maybe', { body });
  await assertRefused(world, unsure, 422, 'invalid_request');
});

const requests = ['nb', 'nb2', 'nb2'].map((model) => ({ model, mode: 'text', body }));

function quoteBatch(sent: unknown, key = world.key, headers = {}) {
  return world.send('POST', '/batches?dry_run=true', {
    body: sent,
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
}

test('a batch’s quote gives the whole price and whether the batch would be accepted; it writes nothing', async () => {
  const before = [await countRows(), await world.balance()];
  const headers = { 'idempotency-key': 'a-batch' };
  for (const _ of [1, 2]) {
    const { status, body } = await quoteBatch({ requests }, world.key, headers);
    assert.deepEqual(
      [status, body],
      [
        200,
        {
          jobs: 3,
          price: '0.10',
          prices: ['0.02', '0.04', '0.04'],
          accepted: true,
          reasons: [],
          detail: null,
        },
      ],
    );
  }
  assert.deepEqual([await countRows(), await world.balance()], before);
  assert.deepEqual((await world.send('GET', '/batches')).body.data, []);
  const { key } = await world.account('poor-in-batches', { creditMicros: 90_000n });
  const refused = await quoteBatch({ requests }, key);
  assert.deepEqual([refused.body.accepted, refused.body.reasons], [false, ['insufficient_funds']]);
  assert.equal((await quoteBatch({ requests: requests.slice(0, 2) }, key)).body.accepted, true);
  const wrong = [{ model: 'nb', mode: 'text', body: { ...body, aspect_ratio: '17:9' } }];
  await assertRefused(world, () => quoteBatch({ requests: wrong }), 422, 'invalid_request');
  // The quotes did not use their key.
  const created = await world.send('POST', '/batches?dry_run=false', { body: { requests }, headers });
  assert.deepEqual([created.status, created.body.price], [202, '0.10']);
  // Its ends would count as rows that the next quotes write.
  await eventually(
    () => world.send('GET', `/batches/${created.body.batch_id}`),
    ({ body }) => body.status === 'done',
  );
});

test('a quote for what no route can make is not accepted, and has no time', async () => {
  const lonely = world.app.catalogue.newest().find(({ model }) => model === 'nb')?.definition;
  assert.ok(lonely);
  await changeModel(world, 'lonely', () => ({ ...lonely, id: 'lonely' }));
  const { body: quoted } = await quote({}, { path: '/lonely/text-generations' });
  assert.deepEqual([quoted.accepted, quoted.reasons, quoted.eta], [false, ['no_route'], null]);
  const mixed = [...requests, { model: 'lonely', mode: 'text', body }];
  const { body: batch } = await quoteBatch({ requests: mixed });
  assert.deepEqual([batch.accepted, batch.reasons], [false, ['no_route']]);
  assert.equal((await quoteBatch({ requests })).body.accepted, true);
});

test('a quote for a repetition has the current price and the missing money; it writes nothing, and fails as the repetition does', async () => {
  const { key } = await world.account('again', { creditMicros: 100_000n });
  const send = (jobId: string, query: string, headers = {}) =>
    world.send('POST', `/jobs/${jobId}/again${query}`, {
      headers: { authorization: `Bearer ${key}`, ...headers },
    });
  const first = await world.create('/nb2/text-generations', body, { authorization: `Bearer ${key}` });
  await world.finished(first, key);
  await changePrice(world, 'nb2', '0.05');
  const before = await countRows();
  const headers = { 'idempotency-key': 'a-repetition' };
  const { status, body: quoted } = await send(first, '?dry_run=true', headers);
  assert.deepEqual(
    [status, quoted.price, quoted.width, quoted.accepted, quoted.reasons],
    [200, '0.05', 1376, true, []],
  );
  assert.deepEqual(await countRows(), before);

  // The quote did not use its key.
  const made = await send(first, '', headers);
  assert.equal(made.status, 202);
  assert.equal((await world.finished(String(made.body.job_id), key)).price, '0.05');
  const { body: short } = await send(first, '?dry_run=true');
  assert.deepEqual([short.accepted, short.reasons], [false, ['insufficient_funds']]);
  assertProblem(await send(first, '?dry_run=maybe'), 422, 'invalid_request');
  assertProblem(await send('unknown', '?dry_run=true'), 404, 'not_found');
  await world.send('DELETE', `/jobs/${first}/image`, { headers: { authorization: `Bearer ${key}` } });
  assertProblem(await send(first, '?dry_run=true'), 410, 'image_gone');
});
