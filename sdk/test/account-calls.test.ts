import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { startReceiver } from '../../server/test/webhooks/support/receiver.ts';
import { openWebhookWorld } from '../../server/test/webhooks/support/webhook-world.ts';
import { openWorld } from '../../server/test/world/world.ts';
import { Darkroom } from '../src/index.ts';

test('uploads, client tokens, tables and another image of the same request, from a real server', async () => {
  await using world = await openWorld();
  const darkroom = new Darkroom({ baseUrl: world.url, apiKey: world.key });
  const { upload_id } = await darkroom.upload(await sharp(square).png().toBuffer());
  assert.equal((await darkroom.getUpload(upload_id)).upload_id, upload_id);
  assert.deepEqual((await darkroom.listUploads()).data.length, 1);
  await darkroom.deleteUpload(upload_id);
  assert.deepEqual((await darkroom.listUploads()).data, []);

  const { token_id } = await darkroom.createClientToken({ spend_cap: '1.00' });
  assert.equal((await darkroom.getClientToken(token_id)).spend_cap, '1.00');
  await darkroom.revokeClientToken(token_id);
  assert.deepEqual((await darkroom.listClientTokens()).data, []);

  const first = await darkroom.generate('nb', { prompt: 'a fox', aspect_ratio: '1:1' });
  assert.equal((await darkroom.quoteAgain(first.job_id)).accepted, true);
  const again = await darkroom.again(first.job_id, { idempotencyKey: 'once' });
  assert.equal((await darkroom.again(first.job_id, { idempotencyKey: 'once' })).job_id, again.job_id);
  assert.equal((await darkroom.waitForJob(again.job_id)).prompt, 'a fox');

  assert.match(await textOf(darkroom.downloadJobTable({ status: 'done' })), new RegExp(first.job_id));
  assert.match(await textOf(darkroom.downloadEntryTable()), new RegExp(again.job_id));
  assert.match(await textOf(darkroom.downloadUsageTable({ group_by: 'key' })), /^(day|hour)_utc,key/);
  const [month = ''] = await darkroom.listStatements();
  assert.match(await darkroom.getStatementTable(month), /capture/);
});

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(pieces))
    .toString()
    .replace(/^\uFEFF/, '');
}

const square = { create: { width: 16, height: 16, channels: 3, background: 'navy' } } as const;

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
  assert.equal(await darkroom.countReplayable('2026-01-01T00:00:00Z'), 0);
  assert.equal(await darkroom.replayFailed(new Date(world.clock.nowMs() - 60_000).toISOString()), 0);
  await darkroom.removeEndpoint('default');
  assert.deepEqual(await darkroom.listEndpoints(), []);

  const { data } = await darkroom.listEntries({ kind: 'release' });
  assert.deepEqual(
    data.map((entry) => entry.job_id),
    [job_id],
  );
  assert.deepEqual((await darkroom.usage({ group_by: 'key' })).total, {
    cost: '0.00',
    jobs: 1,
    done: 0,
    failed: 1,
  });
});
