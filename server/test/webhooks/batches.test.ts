import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Receiver, startReceiver } from './support/receiver.ts';
import { openWebhookWorld, type WebhookWorld } from './support/webhook-world.ts';

const timeout = 60_000;

async function createBatch(
  { world }: WebhookWorld,
  count: number,
  more: object = {},
  headers: Record<string, string> = {},
): Promise<string> {
  const requests = Array.from({ length: count }, (_, index) => ({
    model: 'nb',
    mode: 'text',
    body: { prompt: `fox ${index}`, aspect_ratio: '1:1' },
  }));
  const { status, body } = await world.send('POST', '/batches', { body: { requests, ...more }, headers });
  assert.equal(status, 202, JSON.stringify(body));
  return String(body.batch_id);
}

function told(receiver: Receiver): { id: string; type: string; data: Record<string, unknown> }[] {
  return receiver.received.map(({ body, headers }) => ({
    ...JSON.parse(body),
    id: headers['webhook-id'],
  }));
}

async function endsTold({ world }: WebhookWorld): Promise<string[]> {
  const query = world.app.database.read.selectFrom('events').select('job_id');
  const rows = await query.where('type', '=', 'batch.completed').execute();
  return rows.map(({ job_id: id }) => id).sort();
}

test('a batch’s end is reported once, with the batch as it is read, to the endpoints that name it', {
  timeout,
}, async () => {
  await using webhooks = await openWebhookWorld({ makesImages: true });
  await using naming = await startReceiver();
  await using others = await startReceiver();
  const account = webhooks.world.accountId;
  await webhooks.operations.addEndpoint(account, { url: others.url });
  await webhooks.operations.addEndpoint(account, { url: naming.url, events: ['batch.completed'] });
  const batchId = await createBatch(webhooks, 5);
  await Promise.all([naming.got(1), others.got(5)]);
  const [end] = told(naming);
  assert.equal(end?.type, 'batch.completed');
  const { body: batch } = await webhooks.world.send('GET', `/batches/${batchId}`);
  assert.deepEqual([batch.status, end.data], ['done', batch]);
  assert.deepEqual(new Set(told(others).map(({ type }) => type)), new Set(['job.done']));
  assert.deepEqual(await endsTold(webhooks), [batchId]);
});

test('a batch with a callback_url reports its end only there, even when it is sent again', {
  timeout,
}, async () => {
  await using webhooks = await openWebhookWorld();
  await using own = await startReceiver();
  await using naming = await startReceiver();
  const account = webhooks.world.accountId;
  await webhooks.operations.addEndpoint(account, { url: naming.url, events: ['batch.completed'] });
  const key = { 'idempotency-key': 'once' };
  const batchId = await createBatch(webhooks, 2, { callback_url: own.url }, key);
  assert.equal(await createBatch(webhooks, 2, { callback_url: own.url }, key), batchId);
  const requests = [{ model: 'nb', mode: 'text', body: { prompt: 'fox', aspect_ratio: '1:1' } }];
  const post = (body: object) => webhooks.world.send('POST', '/batches', { body, headers: key });
  assert.equal((await post({ requests, callback_url: null })).body.code, 'idempotency_key_reused');
  const bad = await post({ requests, callback_url: 'http://127.0.0.1/' });
  assert.deepEqual(
    [bad.status, (bad.body.errors as { pointer: string }[])[0]?.pointer],
    [422, '/callback_url'],
  );

  await webhooks.world.send('POST', `/batches/${batchId}/cancel`);
  await own.got(1);
  await webhooks.attempted(1);
  assert.deepEqual([told(own)[0]?.data.batch_id, told(own)[0]?.data.status], [batchId, 'cancelled']);
  assert.equal((await webhooks.operations.replayDeliveries(account, { delivered: true })).replayed, 1);
  await own.got(2);
  await webhooks.attempted(2);
  assert.equal(told(own)[1]?.id, told(own)[0]?.id);
  assert.deepEqual(naming.received, []);
});

test('a batch that many workers end at once, or that a restarted server ends, ends once', {
  timeout,
}, async () => {
  await using webhooks = await openWebhookWorld({ makesImages: true });
  const { world } = webhooks;
  const ids = await Promise.all([createBatch(webhooks, 40), createBatch(webhooks, 40)]);
  const cancelled = ids.flatMap((id) => [1, 2, 3].map(() => world.send('POST', `/batches/${id}/cancel`)));
  for (const { status } of await Promise.all(cancelled)) assert.equal(status, 200);
  assert.deepEqual(await endsTold(webhooks), ids.toSorted());

  const held = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const { handler } = world.provider;
  world.provider.handler = async (request, context) => {
    began.resolve();
    await held.promise;
    return handler(request, context);
  };
  const id = await createBatch(webhooks, 3);
  await began.promise;
  const restarted = world.restart();
  held.resolve();
  await restarted;
  while ((await world.send('GET', `/batches/${id}`)).body.status !== 'done');
  assert.deepEqual(await endsTold(webhooks), [...ids, id].sort());
});
