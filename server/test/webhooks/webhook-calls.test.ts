import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { listAuditEntries } from '../../src/base/audit/audit-store.ts';
import { adminSender, makeAdminKey } from '../admin/admin-client.ts';
import { startReceiver } from './support/receiver.ts';
import { openWebhookWorld } from './support/webhook-world.ts';

test('a key sets the default endpoint in one call, reads it without its secret, rotates that, and removes it', async () => {
  await using webhooks = await openWebhookWorld();
  const { world } = webhooks;
  assert.equal((await world.send('GET', '/webhooks/default')).status, 404);
  const refused = await world.send('PUT', '/webhooks/default', { body: { url: 'http://10.0.0.1/' } });
  assert.deepEqual([refused.status, refused.body.code], [422, 'invalid_request']);

  const url = 'https://example.com/hook';
  const set = await world.send('PUT', '/webhooks/default', { body: { url } });
  assert.deepEqual([set.status, set.body.url], [200, url]);
  const { cancelled_deliveries, ...endpoint } = set.body;
  assert.deepEqual([endpoint.is_default, cancelled_deliveries], [true, 0]);
  assert.ok(!JSON.stringify(endpoint).includes('secret":'), 'a key is not shown what signs');
  const { hours: _, ...read } = (await world.send('GET', '/webhooks/default')).body;
  assert.deepEqual(read, endpoint);
  const again = await world.send('PUT', '/webhooks/default', { body: { url, events: ['job.done'] } });
  assert.deepEqual([again.body.endpoint_id, again.body.events], [endpoint.endpoint_id, ['job.done']]);
  const other = await world.send('PUT', `/webhooks/${randomUUID()}`, { body: { url } });
  assert.equal(other.status, 404, 'only the default one is added by setting it');

  const { body } = await world.send('POST', '/webhooks/default/rotate', { body: { leaked: true } });
  const [{ secret }, ...others] = body.secrets as [{ secret: string }];
  assert.deepEqual([secret.slice(0, 6), others], ['whsec_', []]);
  const shown = JSON.stringify((await world.send('GET', '/webhooks/default')).body);
  assert.ok(!shown.includes(secret));
  assert.ok(shown.includes(secret.slice(-4)));

  const removed = await world.send('DELETE', '/webhooks/default');
  assert.deepEqual([removed.status, removed.body], [204, {}]);
  const entries = await listAuditEntries(world.app.database.read, { limit: 4 });
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['webhook.removed', 'webhook.secret_rotated', 'webhook.changed', 'webhook.added'],
  );
  assert.match(entries[0]?.actor.name ?? '', /^the key .*dk_/);
});

test('deliveries are listed and read with their attempts, and sent again under the same id', async () => {
  await using receiver = await startReceiver();
  await using webhooks = await openWebhookWorld();
  const { world } = webhooks;
  const nowhere = await world.send('POST', '/webhooks/default/test');
  assert.deepEqual([nowhere.status, nowhere.body.code], [409, 'nothing_to_deliver']);
  await world.send('PUT', '/webhooks/default', { body: { url: receiver.url } });
  const tested = await world.send('POST', '/webhooks/default/test');
  const headers = { 'content-type': 'application/json' };
  assert.equal(
    (await world.send('POST', '/webhooks/default/test', { headers })).status,
    200,
    'without a body',
  );
  const elsewhere = await world.send('POST', '/webhooks/default/test', { body: { url: 'http://10.0.0.1/' } });
  assert.deepEqual([elsewhere.status, elsewhere.body.code], [422, 'invalid_request']);
  assert.deepEqual([tested.status, tested.body.status, tested.body.failure], [200, 204, null]);

  const jobId = await webhooks.failJob();
  await webhooks.attempted(1);
  const list = (await world.send('GET', `/deliveries?job_id=${jobId}&status=delivered`)).body;
  const [delivery] = list.data as [Record<string, unknown>];
  assert.deepEqual(
    [delivery.job_id, delivery.type, delivery.attempts, list.next_cursor],
    [jobId, 'job.failed', 1, null],
  );
  const path = `/deliveries/${delivery.delivery_id}`;
  const { body: detail } = await world.send('GET', path);
  assert.equal(JSON.parse(String(detail.body)).data.job_id, jobId);
  assert.equal((detail.history as unknown[]).length, 1);

  assert.deepEqual(delivery.history, detail.history, 'lists show attempts as well');
  const nothing = await world.send('GET', '/deliveries/replay?from=2026-01-01T00:00:00Z');
  assert.deepEqual([nothing.status, nothing.body], [200, { count: 0 }], 'whoever may replay may count');
  const untaken = await world.send('POST', '/webhooks/default/test', { body: null });
  assert.deepEqual([untaken.status, untaken.body.code], [422, 'invalid_request'], 'null is no missing body');
  const pending = await world.send('POST', '/deliveries/replay', { body: { pending: true } });
  assert.deepEqual(pending.body, { replayed: 0 });
  const both = await world.send('POST', '/deliveries/replay', { body: { pending: true, delivered: true } });
  assert.deepEqual([both.status, both.body.code], [422, 'invalid_request']);
  const replayed = await world.send('POST', `${path}/replay`);
  assert.deepEqual([replayed.status, replayed.body.event_id], [200, delivery.event_id]);
  assert.notEqual(replayed.body.delivery_id, delivery.delivery_id);
  await webhooks.attempted(2);
  const [first, second] = (await world.send('GET', '/deliveries?limit=1')).body.data as unknown[];
  assert.deepEqual([(first as typeof delivery).delivery_id, second], [replayed.body.delivery_id, undefined]);
});

test('all deliveries that failed since a time are sent again at once', async () => {
  await using receiver = await startReceiver();
  await using webhooks = await openWebhookWorld();
  const { world } = webhooks;
  // Without a webhook an event has no delivery, and counts as not delivered.
  const jobs = [await webhooks.failJob(), await webhooks.failJob()];
  await world.send('PUT', '/webhooks/default', { body: { url: receiver.url } });
  const since = new Date(world.clock.nowMs() - 3_600_000).toISOString();
  const replay = () => world.send('POST', '/deliveries/replay', { body: { from: since } });
  assert.deepEqual((await replay()).body, { replayed: 2 });
  await webhooks.attempted(2);
  assert.deepEqual((await replay()).body, { replayed: 0 });
  const all = await world.send('POST', '/deliveries/replay', { body: { delivered: true } });
  assert.deepEqual(all.body, { replayed: 2 });
  await webhooks.attempted(4);
  const { data } = (await world.send('GET', '/deliveries')).body as { data: { job_id: string }[] };
  assert.deepEqual([...new Set(data.map(({ job_id }) => job_id))].sort(), jobs.sort());
  const never = await world.send('POST', '/deliveries/replay', { body: { from: 'yesterday' } });
  assert.equal(never.status, 422);
});

test('a key adds endpoints, lists them without their secrets, changes, rotates, tests and removes them', async () => {
  await using receiver = await startReceiver();
  await using webhooks = await openWebhookWorld();
  const { world } = webhooks;
  const add = (body: object) => world.send('POST', '/webhooks', { body });
  await add({ url: 'https://example.com/hook' });
  const added = await add({ url: receiver.url, events: ['job.failed'] });
  assert.equal(added.status, 201);
  const { secret, ...endpoint } = added.body;
  const path = `/webhooks/${endpoint.endpoint_id}`;
  const { data } = (await world.send('GET', '/webhooks')).body as { data: (typeof endpoint)[] };
  assert.deepEqual([data.length, data[0]?.is_default, data[1]], [2, true, endpoint]);
  const { hours, ...detail } = (await world.send('GET', path)).body;
  assert.deepEqual([detail, (hours as unknown[]).length], [endpoint, 72]);
  assert.equal(added.headers.get('location'), `/api/v1${path}`);
  assert.equal((await world.send('GET', '/webhooks/default')).body.url, 'https://example.com/hook');
  assert.ok(String(secret).endsWith(String(endpoint.secret_hint).slice(-4)));

  const failed = await webhooks.failJob();
  await receiver.got(1);
  const deliveries = await world.send('GET', `/deliveries?endpoint_id=${endpoint.endpoint_id}`);
  const [delivery] = deliveries.body.data as [Record<string, unknown>];
  assert.deepEqual([delivery.job_id, delivery.endpoint_id], [failed, endpoint.endpoint_id]);
  assert.equal((await world.send('POST', `${path}/test`)).body.status, 204);
  const reveal = await world.send('POST', `${path}/reveal`);
  assert.deepEqual([reveal.status, reveal.body.code], [403, 'key_forbidden']);
  const rotated = await world.send('POST', `${path}/rotate`, { body: { leaked: true } });
  assert.notEqual((rotated.body.secrets as [{ secret: string }])[0].secret, secret);

  const parts = await world.send('PATCH', path, { body: { enabled: false } });
  assert.deepEqual([parts.body.enabled, parts.body.events], [false, ['job.failed']]);
  const changed = await world.send('PUT', path, { body: { url: receiver.url, enabled: false } });
  assert.deepEqual([changed.body.enabled, changed.body.events], [false, null]);
  assert.equal((await add({ url: receiver.url })).status, 422);
  assert.equal((await add({ url: 'https://example.com/x', events: ['job.began'] })).status, 422);
  assert.equal((await add({ url: 'https://example.com/x', events: [] })).status, 422);
  assert.equal((await world.send('DELETE', path)).status, 204);
  for (const [method, at] of [
    ['GET', path],
    ['DELETE', path],
    ['POST', `${path}/test`],
    ['GET', '/webhooks/%00'],
  ] as const)
    assert.equal((await world.send(method, at)).status, 404, `${method} ${at}`);
});

test('a read-only admin key sees a delivery without its job, and only the host of its address', async () => {
  await using receiver = await startReceiver();
  await using webhooks = await openWebhookWorld();
  const { world } = webhooks;
  await world.send('PUT', '/webhooks/default', { body: { url: `${receiver.url}/secret` } });
  const jobId = await webhooks.failJob();
  await webhooks.attempted(1);
  const [delivery] = (await world.send('GET', '/deliveries')).body.data as [{ delivery_id: string }];
  for (const [scope, job, url, answer] of [
    ['read', undefined, `${new URL(receiver.url).origin}/…`, null],
    ['accounts', jobId, `${receiver.url}/secret`, ''],
  ] as const) {
    const send = adminSender(world, (await makeAdminKey(world, scope, [scope])).key);
    const { status, body } = await send('GET', `/accounts/tests/deliveries/${delivery.delivery_id}`);
    const [attempt] = body.history as [{ answer: string | null }];
    const shown = [status, JSON.parse(String(body.body)).data.job_id, body.url, attempt.answer];
    assert.deepEqual(shown, [200, job, url, answer], scope);
  }
});

test("another account's deliveries do not exist", async () => {
  await using receiver = await startReceiver();
  await using webhooks = await openWebhookWorld();
  const { world } = webhooks;
  await world.send('PUT', '/webhooks/default', { body: { url: receiver.url } });
  await webhooks.failJob();
  const [delivery] = (await world.send('GET', '/deliveries')).body.data as [{ delivery_id: string }];
  const other = await world.account('other');
  const headers = { authorization: `Bearer ${other.key}` };
  for (const [method, path] of [
    ['GET', `/deliveries/${delivery.delivery_id}`],
    ['POST', `/deliveries/${delivery.delivery_id}/replay`],
    ['GET', '/deliveries/999999999'],
    ['GET', '/deliveries/%00'],
  ] as const) {
    const { status, body } = await world.send(method, path, { headers });
    assert.deepEqual([path, status], [path, 404]);
    assert.match(String(body.detail), /^There is no such delivery\./);
  }
  assert.deepEqual((await world.send('GET', '/deliveries', { headers })).body.data, []);
  assert.equal((await world.send('GET', '/webhooks/default', { headers })).status, 404);
  assert.equal((await world.send('GET', '/deliveries?job_id=%00')).status, 422);
});

test('an endpoint that is removed while it is being added is nevertheless added: its secret is shown once', async () => {
  await using webhooks = await openWebhookWorld();
  const { world } = webhooks;
  const listed = async () => (await world.send('GET', '/webhooks')).body.data as { endpoint_id: string }[];
  for (let round = 0; round < 40; round += 1) {
    let isOver = false;
    const removing = (async () => {
      while (!isOver)
        for (const { endpoint_id: id } of await listed()) await world.send('DELETE', `/webhooks/${id}`);
    })();
    const url = `https://example.com/${round}`;
    const { status, body } = await world.send('POST', '/webhooks', { body: { url } });
    isOver = true;
    await removing;
    assert.equal(status, 201, JSON.stringify(body));
    assert.match(String(body.secret), /^whsec_/);
  }
});
