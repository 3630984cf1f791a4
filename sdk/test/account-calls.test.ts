import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startReceiver } from '../../server/test/webhooks/support/receiver.ts';
import { openWebhookWorld } from '../../server/test/webhooks/support/webhook-world.ts';
import { Darkroom } from '../src/index.ts';

test('webhook, deliveries, entries and usage of the account, from a real server', async () => {
  await using receiver = await startReceiver();
  await using webhooks = await openWebhookWorld();
  const { world } = webhooks;
  const darkroom = new Darkroom({ baseUrl: world.url, apiKey: world.key });
  assert.equal((await darkroom.replaceEndpoint('default', { url: receiver.url })).url, receiver.url);
  assert.equal((await darkroom.testWebhook()).failure, null);
  const [current, old] = await darkroom.rotateWebhookSecret();
  assert.deepEqual([current?.expires_at, typeof old?.expires_at], [null, 'string']);
  assert.equal((await darkroom.getEndpoint('default')).secret_hint.slice(-4), current?.secret.slice(-4));

  const job_id = await webhooks.failJob();
  await webhooks.attempted(1);
  const [delivery] = (await darkroom.listDeliveries({ job_id, limit: 1 })).data;
  assert.ok(delivery);
  assert.equal((await darkroom.getDelivery(delivery.delivery_id)).history.length, 1);
  assert.equal((await darkroom.replayDelivery(delivery.delivery_id)).event_id, delivery.event_id);
  assert.equal(await darkroom.replayFailed(new Date(world.clock.nowMs() - 60_000).toISOString()), 0);
  await darkroom.removeEndpoint('default');
  assert.deepEqual(await darkroom.listEndpoints(), []);

  const { data } = await darkroom.listEntries({ kind: 'release' });
  assert.deepEqual(
    data.map((entry) => entry.job_id),
    [job_id],
  );
  assert.deepEqual((await darkroom.usage({ by: 'key' })).total, {
    cost: '0.00',
    jobs: 1,
    done: 0,
    failed: 1,
  });
});
