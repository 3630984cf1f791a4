import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { listAuditEntries } from '../../src/base/audit/audit-store.ts';
import { followClock } from '../../src/base/db/follow-clock.ts';
import { failingLimitMs } from '../../src/notify/webhooks/deliveries/attempt-recorder.ts';
import { maxEndpoints } from '../../src/notify/webhooks/endpoints/endpoint-store.ts';
import { until } from '../faults/support/server.ts';
import { recordTime } from '../world/record-time.ts';
import { answerWith, type Received, startReceiver } from './support/receiver.ts';
import { openWebhookWorld } from './support/webhook-world.ts';

test('callback_url comes first, then the account’s endpoint; null means the endpoint; with neither there is no delivery', async () => {
  await using callback = await startReceiver();
  await using endpoint = await startReceiver();
  await using webhooks = await openWebhookWorld();
  const account = webhooks.world.accountId;
  await webhooks.failJob();
  await webhooks.operations.replaceEndpoint(account, 'default', { url: endpoint.url });
  const first = await webhooks.failJob({ callback_url: callback.url });
  const second = await webhooks.failJob({ callback_url: null });
  await webhooks.attempted(2);
  const jobOf = (body = '') => JSON.parse(body).data.job_id;
  assert.deepEqual(
    callback.received.map(({ body }) => jobOf(body)),
    [first],
  );
  assert.deepEqual(
    endpoint.received.map(({ body }) => jobOf(body)),
    [second],
  );
  assert.equal((await webhooks.deliveries()).length, 2);
});

test('an accepted callback_url is called, however long it is once encoded', async () => {
  await using callback = await startReceiver();
  await using webhooks = await openWebhookWorld();
  await webhooks.failJob({ callback_url: `${callback.url}/${'€'.repeat(1_000)}` });
  await webhooks.failJob({ callback_url: callback.url.replace('http:', 'HTTP:') });
  await webhooks.attempted(2);
  assert.deepEqual(callback.received.map(({ path }) => path).sort(), [
    '/hook',
    `/hook/${'%E2%82%AC'.repeat(1_000)}`,
  ]);
});

test('410 disables the endpoint and cancels its waiting deliveries; setting the same URL again enables it', async () => {
  await using receiver = await startReceiver();
  await using webhooks = await openWebhookWorld();
  const { operations, world } = webhooks;
  await using _held = await world.hold(); // without this, a slow machine may retry first
  const account = world.accountId;
  await operations.replaceEndpoint(account, 'default', { url: receiver.url });
  receiver.answer = answerWith(500);
  await webhooks.failJob();
  await webhooks.attempted(1);
  receiver.answer = answerWith(410);
  await webhooks.failJob();
  await webhooks.attempted(2);
  const shown = await operations.getEndpoint(account, 'default');
  assert.equal(shown.disabled_reason, 'gone');
  const states = (await webhooks.deliveries()).map(({ status, failure }) => `${status} ${failure}`);
  assert.deepEqual(states, ['cancelled endpoint_disabled', 'failed gone']);

  receiver.answer = answerWith(204);
  await webhooks.failJob();
  assert.equal((await webhooks.deliveries()).length, 2);
  const enabled = await operations.replaceEndpoint(account, 'default', { url: receiver.url });
  assert.deepEqual([enabled.disabled_at, enabled.cancelled_deliveries], [null, 0]);
  assert.deepEqual(await operations.replayDeliveries(account), { replayed: 3 });
  await webhooks.attempted(5);
  const ids = receiver.received.slice(2).map(({ headers }) => headers['webhook-id']);
  assert.equal(new Set(ids).size, 3);
  assert.deepEqual(await operations.replayDeliveries(account), { replayed: 0 });
});

test('another URL enables an endpoint that answered 410, but not one that a person disabled', async () => {
  await using receiver = await startReceiver();
  await using webhooks = await openWebhookWorld();
  const { operations, world } = webhooks;
  const account = world.accountId;
  receiver.answer = answerWith(410);
  await operations.replaceEndpoint(account, 'default', { url: receiver.url });
  await webhooks.failJob();
  await webhooks.attempted(1);
  assert.equal((await operations.getEndpoint(account, 'default')).disabled_reason, 'gone');
  const moved = await operations.changeEndpoint(account, 'default', { url: `${receiver.url}/new` });
  assert.deepEqual([moved.enabled, moved.disabled_reason], [true, null]);

  await operations.changeEndpoint(account, 'default', { enabled: false });
  const again = await operations.changeEndpoint(account, 'default', { url: `${receiver.url}/newer` });
  assert.deepEqual([again.enabled, again.disabled_reason], [false, 'manual']);
  await webhooks.failJob();
  assert.equal((await webhooks.deliveries()).length, 1);
  const replaced = await operations.replaceEndpoint(account, 'default', { url: receiver.url });
  assert.deepEqual([replaced.enabled, replaced.disabled_reason], [true, null]);
});

test('removing or replacing the endpoint cancels its remaining attempts, visibly', async () => {
  await using old = await startReceiver();
  await using fresh = await startReceiver();
  old.answer = answerWith(500);
  await using webhooks = await openWebhookWorld();
  const { operations, world } = webhooks;
  await using _held = await world.hold(); // without this, a slow machine may retry first
  const account = world.accountId;
  await operations.replaceEndpoint(account, 'default', { url: old.url });
  await webhooks.failJob();
  await webhooks.attempted(1);
  const replaced = await operations.replaceEndpoint(account, 'default', { url: fresh.url });
  assert.equal(replaced.cancelled_deliveries, 1);
  fresh.answer = answerWith(500);
  await webhooks.failJob();
  await webhooks.attempted(2);
  await operations.removeEndpoint(account, 'default');
  const [removed] = await listAuditEntries(world.app.database.read, { limit: 1 });
  assert.deepEqual([removed?.action, removed?.detail.cancelled_deliveries], ['webhook.removed', 1]);
  await webhooks.makeDue();
  const listed = await operations.listDeliveries(account);
  assert.deepEqual(
    listed.data.map(({ status, last_failure, history }) => [status, last_failure, history.length]),
    [
      ['cancelled', 'endpoint_removed', 1],
      ['cancelled', 'endpoint_replaced', 1],
    ],
  );
  assert.deepEqual([old.received.length, fresh.received.length], [1, 1]);
});

test('deliveries whose endpoint is gone are cancelled when due, not sent, whatever their number', async () => {
  await using old = await startReceiver();
  await using fresh = await startReceiver();
  old.answer = answerWith(500);
  await using webhooks = await openWebhookWorld();
  const { operations, world } = webhooks;
  await using _held = await world.hold(); // without this, a slow machine may retry first
  const account = world.accountId;
  await operations.replaceEndpoint(account, 'default', { url: old.url });
  await webhooks.failJob();
  await webhooks.attempted(1);
  // Inserts three times as many copies of the existing delivery as are cancelled at once. The last ones are due first.
  const copies = 30_000;
  await world.app.database.transaction((tx) =>
    sql`insert into deliveries (
        event_id, account_id, endpoint_id, url, lane, status, attempt, claimable_at, failure, created_at)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(copies)})
      select event_id, account_id, endpoint_id, url, lane, status, attempt, now_ms() + 3600000 - n, failure, created_at
      from deliveries, numbers`.execute(tx),
  );
  const { cancelled_deliveries: cancelled } = await operations.replaceEndpoint(account, 'default', {
    url: fresh.url,
  });
  assert.ok(cancelled > 0 && cancelled <= copies / 3, `${cancelled} at once`);
  await webhooks.failJob();
  // Waits until the attempt is recorded, not only received, because two hours outlast its lease.
  await webhooks.attempted(2);
  await world.elapse(2 * 3_600_000);
  const countPending = async () => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from deliveries
      where status = 'pending'`.execute(world.app.database.read);
    return rows[0]?.count;
  };
  await until(async () => (await countPending()) === 0);
  const { rows } = await sql<{ count: number }>`select count(*) as count from deliveries
    where status = 'cancelled' and failure = 'endpoint_replaced'`.execute(world.app.database.read);
  assert.equal(rows[0]?.count, copies + 1);
  assert.deepEqual([old.received.length, fresh.received.length], [1, 1]);
});

test('an attempt that runs when its endpoint is removed is recorded, and changes nothing else', async () => {
  await using receiver = await startReceiver();
  const release = Promise.withResolvers<void>();
  receiver.answer = (response) => void release.promise.then(() => response.writeHead(204).end());
  await using webhooks = await openWebhookWorld();
  const { operations, world } = webhooks;
  await operations.replaceEndpoint(world.accountId, 'default', { url: receiver.url });
  await webhooks.failJob();
  await receiver.got(1);
  await operations.removeEndpoint(world.accountId, 'default');
  release.resolve();
  const [logged] = await webhooks.attempted(1);
  assert.equal(logged?.next, 'lost');
  const [delivery] = await webhooks.deliveries();
  assert.deepEqual(
    [delivery?.status, delivery?.failure, delivery?.attempts[0]?.status],
    ['cancelled', 'endpoint_removed', 204],
  );
});

test('each endpoint gets its events once, signed with its own secret, and a refusal disables only that endpoint', async () => {
  await using all = await startReceiver();
  await using failures = await startReceiver();
  await using webhooks = await openWebhookWorld({ makesImages: true });
  const { operations, world } = webhooks;
  const account = world.accountId;
  const first = await operations.addEndpoint(account, { url: all.url });
  const second = await operations.addEndpoint(account, { url: failures.url, events: ['job.failed'] });
  assert.deepEqual([first.is_default, second.is_default], [true, false]);
  await assert.rejects(operations.addEndpoint(account, { url: all.url }), { code: 'invalid_request' });

  await world.finished(await world.create());
  await webhooks.attempted(1);
  failures.answer = answerWith(410);
  const failed = await webhooks.failJob();
  await webhooks.attempted(3);
  const seen = ({ received }: typeof all) => received.map(({ body }) => JSON.parse(body).type);
  assert.deepEqual([seen(all), seen(failures)], [['job.done', 'job.failed'], ['job.failed']]);
  const [toAll, toFailures] = [all.received[1], failures.received[0]];
  assert.equal(toAll?.headers['webhook-id'], toFailures?.headers['webhook-id'], 'one event');
  verify(toAll, first.secret);
  verify(toFailures, second.secret);
  assert.throws(() => verify(toFailures, first.secret));
  const states = (await operations.listEndpoints(account)).map((one) => one.disabled_reason);
  assert.deepEqual(states, [null, 'gone']);

  // An event that the other endpoint received is not replayed, and a later endpoint gets nothing from the past.
  await using late = await startReceiver();
  await operations.addEndpoint(account, { url: late.url });
  const endpointId = second.endpoint_id;
  failures.answer = answerWith(204);
  assert.deepEqual(await operations.replayDeliveries(account), { replayed: 0 });
  await operations.changeEndpoint(account, endpointId, { enabled: true });
  assert.deepEqual(await operations.replayDeliveries(account), { replayed: 1 });
  await webhooks.attempted(4);
  assert.equal(JSON.parse(failures.received[1]?.body ?? '').data.job_id, failed);
  assert.deepEqual([all.received.length, late.received.length], [2, 0]);

  // The account's webhook is the default endpoint: removing it leaves the others.
  await operations.removeEndpoint(account, 'default');
  await operations.changeEndpoint(account, endpointId, { events: ['job.done'] });
  await webhooks.failJob();
  await webhooks.attempted(5);
  assert.deepEqual([all.received.length, failures.received.length, late.received.length], [2, 2, 1]);
  await operations.removeEndpoint(account, endpointId);
  await assert.rejects(operations.rotateEndpointSecret(account, endpointId), {
    code: 'not_found',
  });
});

test('an answer from an endpoint’s former address does not count for its new one', async () => {
  await using old = await startReceiver();
  await using fresh = await startReceiver();
  const release = Promise.withResolvers<void>();
  old.answer = (response) => void release.promise.then(() => response.writeHead(410).end());
  await using webhooks = await openWebhookWorld();
  const { operations, world } = webhooks;
  const account = world.accountId;
  const { endpoint_id } = await operations.addEndpoint(account, { url: old.url });
  await webhooks.failJob();
  await old.got(1);
  const moved = await operations.changeEndpoint(account, endpoint_id ?? '', { url: fresh.url });
  assert.equal(moved.cancelled_deliveries, 1);
  release.resolve();
  await webhooks.attempted(1);
  assert.equal((await operations.getEndpoint(account, 'default')).disabled_at, null);
  assert.deepEqual(await operations.replayDeliveries(account), { replayed: 1 });
  await fresh.got(1);
});

test('an account has at most ten endpoints', async () => {
  await using webhooks = await openWebhookWorld();
  const { operations, world } = webhooks;
  const add = (index: number) =>
    operations.addEndpoint(world.accountId, { url: `https://example.com/${index}` });
  for (let index = 0; index < maxEndpoints; index++) await add(index);
  await assert.rejects(add(maxEndpoints), { code: 'invalid_request' });
});

test('an endpoint that failed for five days without one success is disabled; one success starts the count again', async () => {
  await using receiver = await startReceiver();
  receiver.answer = answerWith(500);
  await using webhooks = await openWebhookWorld();
  const { operations, world } = webhooks;
  await using _held = await world.hold(); // without this, a slow machine may retry first
  const account = world.accountId;
  const failingFor = (ms: number) =>
    world.app.database.transaction((tx) =>
      sql`update endpoints set failing_since = now_ms() - ${sql.lit(ms)}`.execute(tx),
    );
  await operations.replaceEndpoint(account, 'default', { url: receiver.url });
  await webhooks.failJob();
  await webhooks.attempted(1);
  assert.notEqual((await operations.getEndpoint(account, 'default')).failing_since, null);

  await failingFor(failingLimitMs - 60_000);
  await webhooks.makeDue();
  await webhooks.attempted(2);
  assert.equal((await operations.getEndpoint(account, 'default')).disabled_at, null);

  receiver.answer = answerWith(204);
  await webhooks.makeDue();
  await webhooks.attempted(3);
  assert.equal((await operations.getEndpoint(account, 'default')).failing_since, null);

  receiver.answer = answerWith(500);
  await webhooks.failJob();
  await webhooks.attempted(4);
  await failingFor(failingLimitMs);
  await webhooks.makeDue();
  await webhooks.attempted(5);
  const shown = await operations.getEndpoint(account, 'default');
  assert.equal(shown.disabled_reason, 'failing');
  assert.equal((await webhooks.deliveries()).at(-1)?.failure, 'endpoint_disabled');
});

test('an endpoint that fails is disabled after five days, even if the clock was set back', async () => {
  await using receiver = await startReceiver();
  receiver.answer = answerWith(500);
  await using webhooks = await openWebhookWorld();
  const { operations, world } = webhooks;
  const account = world.accountId;
  await operations.replaceEndpoint(account, 'default', { url: receiver.url });
  await webhooks.failJob();
  await webhooks.attempted(1);
  await recordTime(world);
  await world.jump(-24 * 60 * 60_000);
  await followClock(world.app.database);
  await world.elapse(failingLimitMs + 60_000);
  await webhooks.failJob();
  await until(async () => (await operations.getEndpoint(account, 'default')).disabled_reason === 'failing');
});

test('a test delivery is signed, sent at once, reported and not recorded', async () => {
  await using receiver = await startReceiver();
  await using webhooks = await openWebhookWorld();
  const { operations, world } = webhooks;
  const account = world.accountId;
  await assert.rejects(operations.testEndpoint(account, 'default'), { code: 'nothing_to_deliver' });
  await operations.replaceEndpoint(account, 'default', { url: receiver.url });
  receiver.answer = answerWith(200, {}, 'hello');
  const result = await operations.testEndpoint(account, 'default');
  assert.deepEqual([result.ok, result.status, result.answer], [true, 200, 'hello']);
  assert.equal(JSON.parse(receiver.received[0]?.body ?? '').type, 'webhook.test');
  assert.deepEqual(await webhooks.deliveries(), []);
});

test('a webhook URL that may not be called is refused, an unknown account is not found', async () => {
  await using webhooks = await openWebhookWorld();
  const { operations, world } = webhooks;
  for (const url of [
    'http://127.0.0.1/',
    'ftp://example.com/',
    `${world.url}/hook`,
    `https://example.com/${'x'.repeat(2_048)}`,
  ]) {
    await assert.rejects(operations.replaceEndpoint(world.accountId, 'default', { url }), {
      code: 'invalid_request',
    });
  }
  await assert.rejects(operations.revealEndpointSecret('nobody', 'default'), { code: 'not_found' });
});

function verify(received: Received | undefined, secret = ''): void {
  if (!received) throw new Error('nothing was received');
  new Webhook(secret).verify(received.body, received.headers);
}
