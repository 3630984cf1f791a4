import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/base/std/ids.ts';
import { lockBalances } from '../../src/money/ledger/ledger-store.ts';
import { recordNotices } from '../../src/notify/webhooks/event-store.ts';
import { keep } from '../world/expire.ts';
import { startReceiver } from './support/receiver.ts';
import { openWebhookWorld, type WebhookWorld } from './support/webhook-world.ts';

const data = { account_id: 'that of the shop', threshold: '5.00' };

/** Records an event about the account that is not the end of a job. */
async function tell({ world: { app, accountId } }: WebhookWorld, aboutId = newId(Date.now())) {
  await app.database.transaction(async (tx) => {
    await lockBalances(tx, [accountId]);
    await recordNotices(tx, [{ accountId, type: 'balance.low', aboutId, at: Date.now(), data }]);
  });
  app.database.notify('deliveries');
}

test('an account’s event goes only to the endpoints that name it, whole and signed', async () => {
  await using webhooks = await openWebhookWorld();
  await using naming = await startReceiver();
  await using others = await startReceiver();
  const account = webhooks.world.accountId;
  const everyJob = await webhooks.operations.addEndpoint(account, { url: others.url });
  await webhooks.operations.addEndpoint(account, { url: naming.url, events: ['balance.low', 'job.failed'] });
  await tell(webhooks);
  await webhooks.failJob();
  await Promise.all([naming.got(2), others.got(1), webhooks.attempted(3)]);
  const told = naming.received.map(({ body }) => JSON.parse(body)).find(({ type }) => type === 'balance.low');
  assert.deepEqual(told?.data, data);
  assert.deepEqual(
    others.received.map(({ body }) => JSON.parse(body).type),
    ['job.failed'],
  );

  const { body: list } = await webhooks.world.send('GET', '/deliveries');
  const [first] = (list.data as Record<string, unknown>[]).filter(({ type }) => type === 'balance.low');
  assert.deepEqual([first?.job_id, first?.status], [null, 'delivered']);
  const { body: detail } = await webhooks.world.send('GET', `/deliveries/${first?.delivery_id}`);
  assert.deepEqual(JSON.parse(String(detail.body)).data, data);

  // Sent again to the same endpoint, but not to one that never subscribed to it.
  assert.equal((await webhooks.operations.replayDeliveries(account, { delivered: true })).replayed, 3);
  const request = { delivered: true, endpoint_id: everyJob.endpoint_id ?? '' };
  await webhooks.attempted(6);
  assert.equal((await webhooks.operations.replayDeliveries(account, request)).replayed, 1);
  await webhooks.attempted(7);
  const upper = { ...request, endpoint_id: request.endpoint_id.toUpperCase() };
  assert.equal((await webhooks.operations.replayDeliveries(account, upper)).replayed, 1);
  await webhooks.attempted(8);
});

test('the list of events contains only job events, as before there were others', async () => {
  await using webhooks = await openWebhookWorld();
  await tell(webhooks);
  const jobId = await webhooks.failJob();
  const { body } = await webhooks.world.send('GET', '/events');
  assert.deepEqual(
    (body.data as { data: { job_id: string } }[]).map(({ data: { job_id: id } }) => id),
    [jobId],
  );
});

test('an event about one thing is sent once', async () => {
  await using webhooks = await openWebhookWorld();
  const aboutId = newId(Date.now());
  await tell(webhooks, aboutId);
  await assert.rejects(tell(webhooks, aboutId), /unique/i);
});

test('events without a job are removed with the jobs of their time, together with their deliveries', async () => {
  await using webhooks = await openWebhookWorld();
  await using receiver = await startReceiver();
  const { world } = webhooks;
  const account = world.accountId;
  await webhooks.operations.addEndpoint(account, { url: receiver.url, events: ['balance.low'] });
  await tell(webhooks);
  await webhooks.attempted(1);
  const count = async () =>
    (await world.app.database.read.selectFrom('events').select('id').execute()).length;
  await keep(world.app, { jobs: 30 });
  assert.equal(await count(), 1);
  await world.elapse(32 * 24 * 60 * 60 * 1000);
  await keep(world.app, { jobs: 30 });
  assert.equal(await count(), 0);
  assert.deepEqual(await webhooks.deliveries(), []);
});
