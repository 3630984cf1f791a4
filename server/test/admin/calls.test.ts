import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '../http/support/requests.ts';
import { openWorld } from '../world/world.ts';
import { adminSender, makeAdminKey } from './admin-client.ts';

const world = await openWorld();
after(() => world[Symbol.asyncDispose]());
const { key } = await makeAdminKey(world, 'ops', ['read', 'accounts', 'money', 'models', 'system']);
const send = adminSender(world, key);
type Rows = Record<string, unknown>[];

test('lists come in pages, the newest first', async () => {
  for (const name of ['page-1', 'page-2', 'page-3']) await send('POST', '/accounts', { name });
  const first = await send('GET', '/accounts?q=PAGE&limit=2');
  const names = (first.body.data as Rows).map(({ name }) => name);
  const second = await send('GET', `/accounts?q=PAGE&limit=2&cursor=${first.body.next_cursor}`);
  assert.deepEqual(
    [names, (second.body.data as Rows).map(({ name }) => name)],
    [['page-3', 'page-2'], ['page-1']],
  );
  assert.equal(second.body.next_cursor, null);
  assert.equal((await send('GET', '/accounts?cursor=nonsense')).status, 422);
});

test('repeating a creation under its Idempotency-Key creates one account', async () => {
  const once = { 'idempotency-key': 'acme-1' };
  const first = await send('POST', '/accounts', { name: 'once', credit: '1' }, once);
  const second = await send('POST', '/accounts', { name: 'once', credit: '1' }, once);
  assert.deepEqual([second.status, second.body.account_id], [201, first.body.account_id]);
  assert.equal((await send('POST', '/accounts', { name: 'once' })).status, 422);
});

test('keys are listed, rolled with an overlap, and disabled', async () => {
  const made = await send('POST', '/accounts/tests/keys', { name: 'old', models: ['nb'], expires_in: 3_600 });
  assert.deepEqual(made.body.models, ['nb']);
  const rolled = await send('POST', `/keys/${made.body.key_id}/roll`, { overlap: 60 });
  const works = async (text: unknown) =>
    (await world.send('GET', '/balance', { headers: { authorization: `Bearer ${text}` } })).status;
  assert.deepEqual([await works(made.body.key), await works(rolled.body.key)], [200, 200]);
  await world.elapse(61_000);
  assert.deepEqual([await works(made.body.key), await works(rolled.body.key)], [401, 200]);
  const disabled = await send('POST', `/keys/${rolled.body.key_id}/disable`);
  assert.notEqual(disabled.body.disabled_at, null);
  const listed = (await send('GET', '/keys?account=tests')).body.data as Rows;
  assert.deepEqual(
    listed.slice(0, 2).map(({ key_id }) => key_id),
    [rolled.body.key_id, made.body.key_id],
  );
  assert.equal((await send('POST', '/accounts/tests/keys', { models: ['unknown'] })).status, 422);
});

test('jobs of all accounts are listed, read and cancelled, with the account that pays', async () => {
  const other = await world.account('other', { creditMicros: 1_000_000n });
  const mine = await world.finished(await world.create());
  await send('PUT', '/pauses/nb2', { reason: 'later' });
  const paused = await world.send('POST', '/nb2/text-generations', {
    body: { prompt: 'x', aspect_ratio: '1:1' },
  });
  assert.equal(paused.body.code, 'model_paused');
  await send('DELETE', '/pauses/nb2');
  const gate = Promise.withResolvers<void>();
  world.provider.handler = async (request) => {
    await gate.promise;
    return world.provider.answer(request);
  };
  const theirs = await world.create('/nb2/text-generations', {}, { authorization: `Bearer ${other.key}` });
  const all = (await send('GET', '/jobs?limit=2')).body.data as Rows;
  assert.deepEqual(
    all.map(({ job_id, account_id }) => [job_id, account_id]),
    [
      [theirs, other.accountId],
      [mine.job_id, world.accountId],
    ],
  );
  const done = (await send('GET', '/jobs?account=tests&status=done')).body.data as Rows;
  assert.deepEqual(
    done.map(({ job_id }) => job_id),
    [mine.job_id],
  );
  const cancelled = await send('POST', `/jobs/${theirs}/cancel`);
  assert.deepEqual([cancelled.status, cancelled.body.error_code], [200, 'cancelled']);
  gate.resolve();
  assert.equal((await send('GET', `/jobs/${theirs}`)).body.account_id, other.accountId);
  const [entry] = (await send('GET', '/audit?action=job.cancelled')).body.data as Rows;
  assert.deepEqual([entry?.by, entry?.subject], ['the admin key ops', theirs]);
});

test('batches of an account are listed in pages, read and cancelled, only under its name', async () => {
  const ids: unknown[] = [];
  for (const prompt of ['one', 'two']) {
    const requests = [{ model: 'nb2', mode: 'text', body: { prompt, aspect_ratio: '1:1' } }];
    const made = await world.send('POST', '/batches', { body: { requests } });
    ids.unshift(made.body.batch_id);
  }
  const first = (await send('GET', '/accounts/tests/batches?limit=1')).body;
  const second = await send('GET', `/accounts/tests/batches?limit=1&cursor=${first.next_cursor}`);
  const listed = [...(first.data as Rows), ...(second.body.data as Rows)];
  assert.deepEqual([listed.map(({ batch_id: id }) => id), second.body.next_cursor], [ids, null]);
  const path = `/accounts/tests/batches/${ids[0]}`;
  const cancelled = await send('POST', `${path}/cancel`);
  assert.deepEqual([cancelled.status, cancelled.body.jobs], [200, 1]);
  assert.equal((await send('GET', path)).body.batch_id, ids[0]);
  assert.equal((await send('GET', `/accounts/other/batches/${ids[0]}`)).status, 404);
});

test('models are planned, applied, listed by version, restored and removed, at once in this process', async () => {
  const exported = (await send('GET', '/models/export')).body.models as Rows;
  const nb = exported.find(({ id }) => id === 'nb');
  const models = [{ ...nb, name: 'Renamed' }];
  const plan = await send('POST', '/models', { models });
  assert.deepEqual([plan.status, plan.body.applied, (plan.body.differences as Rows).length], [200, false, 1]);
  assert.equal((await send('POST', '/models', { models, apply: true })).body.applied, true);
  const names = async () => ((await world.send('GET', '/models')).body.data as Rows).map(({ name }) => name);
  assert.ok((await names()).includes('Renamed'));
  const [newest] = (await send('GET', '/models/nb/versions')).body.data as Rows;
  assert.equal(newest?.by, 'the admin key ops');
  assert.equal((await send('POST', '/models/nb/restore', { version: 1 })).status, 204);
  assert.ok(!(await names()).includes('Renamed'));
  assert.equal((await send('DELETE', '/models/nb')).status, 204);
  assert.equal((await send('DELETE', '/models/nb')).status, 404);
  assert.equal((await send('POST', '/models/nb/restore', { version: 1 })).status, 204);
  assert.equal((await send('GET', '/models')).status, 200);
});

test('a model that none of its routes can serve is refused with the reason, planned or applied', async () => {
  const exported = (await send('GET', '/models/export')).body.models as Rows;
  const nb = exported.find(({ id }) => id === 'nb');
  const parameters = { steps: { type: 'integer', default: 28 } };
  const sold = { ...nb, id: 'sold', parameters, routes: [{ provider: 'sketch' }] };
  for (const apply of [false, true]) {
    const { status, body } = await send('POST', '/models', { models: [sold], apply });
    assert.deepEqual([status, (body.errors as Rows)[0]?.pointer], [422, '/routes/0'], JSON.stringify(body));
    assert.match(String(body.detail), /^\/routes\/0 can serve no request: it has no field for steps/);
  }
  const unrouted = { ...sold, routes: [] };
  assert.equal((await send('POST', '/models', { models: [unrouted] })).status, 200, 'routes may come later');
  const optional = { ...sold, parameters: { steps: { type: 'integer' } } };
  assert.equal((await send('POST', '/models', { models: [optional] })).status, 200);
});

test('a plan names the requests that no route would serve, before and after the change', async () => {
  const exported = (await send('GET', '/models/export')).body.models as Rows;
  const nb2 = exported.find(({ id }) => id === 'nb2');
  const own = { model: 'sd', baseUrl: 'http://127.0.0.1:9', resolutions: ['1K'], maxInputs: 1 };
  const routes = [{ provider: 'openai', ...own }];
  const gappy = { ...nb2, id: 'gappy', routes, ratios: ['1:1'] };
  const gaps = [
    'gappy: nobody makes any ratio at 2K, 4K, with 0 or 1 inputs',
    'gappy: nobody makes any ratio at 1K, 2K, 4K, with 14 inputs',
  ];
  const { body } = await send('POST', '/models', { models: [gappy] });
  assert.deepEqual([body.applied, body.uncovered], [false, gaps]);
  const whole = { ...gappy, routes: [{ provider: 'sketch' }] };
  assert.deepEqual((await send('POST', '/models', { models: [whole] })).body.uncovered, []);
  const implied = exported.filter(({ id }) => id !== 'gappy');
  assert.deepEqual((await send('POST', '/models', { models: implied })).body.uncovered, []);
});

test('connections are saved without showing their key', async () => {
  const saved = await send('PUT', '/connections/home', {
    provider: 'comfyui',
    base_url: 'http://127.0.0.1:8188',
    key: 'secret-of-home',
  });
  assert.equal(saved.status, 200, JSON.stringify(saved.body));
  const listed = (await send('GET', '/connections')).body.data as Rows;
  assert.deepEqual([listed[0]?.name, listed[0]?.key], ['home', 'set']);
  assert.ok(!JSON.stringify([saved.body, listed]).includes('secret-of-home'));
  for (const part of ['?api-key=secret-of-home', '/v1#secret-of-home']) {
    const base_url = `http://127.0.0.1:8188${part}`;
    const { status, body } = await send('PUT', '/connections/query', { provider: 'comfyui', base_url });
    assert.deepEqual([status, body.code], [422, 'invalid_request'], part);
    const [nb] = (await send('GET', '/models/export')).body.models as Rows;
    const routes = [{ provider: 'automatic1111', baseUrl: base_url }];
    const refused = await send('POST', '/models', { models: [{ ...nb, routes }], apply: true });
    const [error] = refused.body.errors as Rows;
    assert.deepEqual([refused.status, error?.pointer], [422, '/routes/0/baseUrl']);
    assert.equal(error?.detail, (body.errors as Rows)[0]?.detail, 'the same words');
  }
  assert.equal((await send('DELETE', '/connections/home')).status, 204);
  assert.equal((await send('POST', '/connections/home/check')).status, 404);
});

test('the current state is readable: status, routes, margins, usage, deliveries', async () => {
  for (const path of [
    '/status',
    '/routes',
    '/margins',
    '/pauses',
    '/accounts/tests/usage',
    '/accounts/tests/deliveries',
  ]) {
    const { status, body } = await send('GET', path);
    assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
  }
  // Jobs of the batches above may still wait.
  await eventually(
    async () => (await send('GET', '/status')).body.queued,
    (queued) => queued === 0,
  );
  const replayed = await send('POST', '/accounts/tests/deliveries/replay', { from: '2026-01-01T00:00:00Z' });
  assert.deepEqual(replayed.body, { replayed: 0 });
  assert.equal((await send('POST', '/accounts/tests/deliveries/1/replay')).status, 404);
});

test('every call that changes something needs a scope to change, and unknown paths answer 404', async () => {
  const reader = adminSender(world, (await makeAdminKey(world, 'only-reads', ['read'])).key);
  const needsMore = /^(?!undefined)(.*\. )?Needs the scope `\w+`\.$/s;
  const needsRead = /^(?!undefined)(.*\. )?Needs the scope `read`( or `\w+`)?\.$/s;
  const { paths } = (await reader('GET', '/openapi.json')).body as {
    paths: Record<string, Record<string, { description: string }>>;
  };
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { description }] of Object.entries(methods)) {
      assert.match(description, method === 'get' ? needsRead : needsMore, `${method} ${path}`);
      const refused = await reader(
        method.toUpperCase(),
        path.replaceAll(/\{\w+\}/g, 'x'),
        method === 'get' ? undefined : {},
      );
      assert.equal(refused.body.code === 'scope_required', method !== 'get', `${method} ${path}`);
    }
  assert.ok(Object.keys(paths).length > 25);
  assert.equal((await send('GET', '/nothing')).status, 404);
});

test('a pause for some seconds ends by the database’s clock, however wrong the host’s clock is', {
  skip: !process.env.TEST_DATABASE_URL && 'SQLite has the clock of the host',
}, async () => {
  const asked = Date.now();
  world.clock.jump(3_600_000);
  await send('PUT', '/pauses/nb', { for: 60 });
  world.clock.jump(-3_600_000);
  const [pause] = (await send('GET', '/pauses')).body.data as { until: string }[]; // the documented shape
  await send('DELETE', '/pauses/nb');
  const lastsMs = Date.parse(pause?.until ?? '') - asked;
  assert.ok(lastsMs > 0 && lastsMs < 1_800_000, `${lastsMs} ms`);
});
