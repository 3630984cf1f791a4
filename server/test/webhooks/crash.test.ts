import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startReceiver } from './support/receiver.ts';
import { startProcess } from './support/start-process.ts';
import { openWebhookWorld, type WebhookWorld } from './support/webhook-world.ts';

test('kill -9 between the commit of an event and its delivery: it is delivered by the next process', async () => {
  await using receiver = await startReceiver();
  await using webhooks = await openWebhookWorld({ worker: false });
  const api = await startProcess(webhooks, 'api');
  await using _ = api;
  const headers = { authorization: `Bearer ${webhooks.world.key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ prompt: 'a fox', aspect_ratio: '1:1', callback_url: receiver.url });
  const created = await fetch(`${api.url}/api/v1/nb2/text-generations`, { method: 'POST', headers, body });
  const { job_id: jobId } = (await created.json()) as { job_id: string };
  const cancelled = await fetch(`${api.url}/api/v1/jobs/${jobId}/cancel`, {
    method: 'POST',
    headers: { authorization: headers.authorization },
  });
  assert.equal(cancelled.status, 200);
  await api.kill();
  assert.equal(receiver.received.length, 0);

  await using _worker = await startProcess(webhooks, 'worker');
  const [received] = await receiver.got(1);
  assert.equal(JSON.parse(received?.body ?? '').data.job_id, jobId);
});

test('kill -9 between a delivery and its record: delivered again under the same webhook-id, and both attempts show', async () => {
  await using receiver = await startReceiver();
  const arrived = Promise.withResolvers<void>();
  receiver.answer = (response, _received, nth) =>
    nth === 1 ? arrived.resolve() : void response.writeHead(204).end();
  await using webhooks = await openWebhookWorld({ worker: false });
  await webhooks.failJob({ callback_url: receiver.url });
  const first = await startProcess(webhooks, 'worker');
  await using _ = first;
  await arrived.promise;
  await first.kill();

  // Ends the lease at once instead of after its time.
  await webhooks.world.app.database.transaction((tx) =>
    sql`update deliveries set claimable_at = now_ms() where worker is not null`.execute(tx),
  );
  await using _second = await startProcess(webhooks, 'worker');
  const [one, two] = await receiver.got(2);
  assert.equal(one?.headers['webhook-id'], two?.headers['webhook-id']);
  const delivery = await untilDelivered(webhooks);
  assert.deepEqual(
    delivery.attempts.map(({ failure, status }) => [failure, status]),
    [
      ['interrupted', null],
      [null, 204],
    ],
  );
});

async function untilDelivered(webhooks: WebhookWorld) {
  for (;;) {
    const [delivery] = await webhooks.deliveries();
    if (delivery?.status === 'delivered') return delivery;
    await webhooks.nextAttempt();
  }
}
