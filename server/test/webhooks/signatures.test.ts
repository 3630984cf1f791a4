import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook } from '../../../sdk/src/verify-webhook.ts';
import { signRequest } from '../../src/notify/webhooks/sign-request.ts';
import { type Received, startReceiver } from './support/receiver.ts';
import { openWebhookWorld, type WebhookWorld } from './support/webhook-world.ts';

/** Checks with two verifiers: another project's library, and our own SDK. */
async function verifies({ body, headers }: Received, secret: string): Promise<boolean> {
  const sdk = await verifyWebhook(body, headers, secret).then(
    () => true,
    () => false,
  );
  let oracle = true;
  try {
    new Webhook(secret).verify(body, headers);
  } catch {
    oracle = false;
  }
  assert.equal(sdk, oracle);
  return oracle;
}

async function secretsOf({ operations, world }: WebhookWorld): Promise<string[]> {
  const { secrets } = await operations.revealEndpointSecret(world.accountId, 'default');
  return secrets.map(({ secret }) => secret);
}

test('every delivery carries the event, the job as clients read it, and a signature that verifies', async () => {
  await using receiver = await startReceiver();
  await using webhooks = await openWebhookWorld({ makesImages: true });
  const { world } = webhooks;
  const jobId = await world.create('/nb2/text-generations', { callback_url: receiver.url });
  const job = await world.finished(jobId);
  const [received] = await receiver.got(1);
  assert(received);
  const [secret = ''] = await secretsOf(webhooks);
  assert(await verifies(received, secret));
  const { type, timestamp, data } = JSON.parse(received.body);
  assert.equal(type, 'job.done');
  assert.equal(timestamp, job.finished_at);
  assert.deepEqual(
    { ...data, result: { ...data.result, image_url: '' } },
    { ...job, result: { ...Object(job.result), image_url: '' } },
  );
  assert.equal((await fetch(data.result.image_url)).status, 200);
  assert.equal(received.method, 'POST');
  assert.equal(received.headers['content-type'], 'application/json');
});

test('while a secret is rotated, old and new verify; afterwards only the new one', async () => {
  await using receiver = await startReceiver();
  await using webhooks = await openWebhookWorld();
  const { operations, world } = webhooks;
  await operations.replaceEndpoint(world.accountId, 'default', { url: receiver.url });
  const [old = ''] = await secretsOf(webhooks);
  await operations.rotateEndpointSecret(world.accountId, 'default');
  const [fresh = '', second] = await secretsOf(webhooks);
  assert.notEqual(fresh, old);
  assert.equal(second, old);

  await webhooks.failJob();
  const [during] = await receiver.got(1);
  assert(during && (await verifies(during, old)) && (await verifies(during, fresh)));
  assert.equal(during.headers['webhook-signature']?.split(' ').length, 2);

  await world.app.database.transaction((tx) =>
    sql`update signing_secrets set expires_at = now_ms() - 1 where expires_at is not null`.execute(tx),
  );
  await webhooks.failJob();
  const [, after] = await receiver.got(2);
  assert(after && (await verifies(after, fresh)) && !(await verifies(after, old)));
});

test('a leaked secret stops signing at once', async () => {
  await using webhooks = await openWebhookWorld();
  const { operations, world } = webhooks;
  const before = await secretsOf(webhooks);
  await operations.rotateEndpointSecret(world.accountId, 'default');
  await operations.rotateEndpointSecret(world.accountId, 'default', { leaked: true });
  const after = await secretsOf(webhooks);
  assert.equal(after.length, 1);
  assert(!after.includes(before[0] ?? ''));
});

test('each attempt is signed: a later attempt verifies within five minutes of its own time', async () => {
  await using receiver = await startReceiver();
  receiver.answer = (response, _received, nth) => response.writeHead(nth === 1 ? 500 : 204).end();
  await using webhooks = await openWebhookWorld();
  await webhooks.failJob({ callback_url: receiver.url });
  await webhooks.attempted(1);
  webhooks.world.clock.advance(4 * 60_000);
  await webhooks.makeDue();
  const [first, second] = await receiver.got(2);
  const [secret = ''] = await secretsOf(webhooks);
  assert(first && second && (await verifies(first, secret)) && (await verifies(second, secret)));
  const age = Number(second.headers['webhook-timestamp']) - Number(first.headers['webhook-timestamp']);
  assert(age >= 239 && age <= 300, String(age));
});

test('a changed body, id or time, a foreign secret and a time beyond five minutes do not verify', async () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const make = (nowMs = Date.now()): Received => {
    const { headers, body } = signRequest({ url: '', id: 'evt_1', payload: { a: 1 } }, [secret], nowMs);
    return { method: 'POST', path: '/', rawHeaders: [], at: 0, headers, body };
  };
  assert(await verifies(make(), secret));
  assert(await verifies(make(Date.now() - 4 * 60_000), secret));
  const good = make();
  const wrong: [Received, string][] = [
    [{ ...good, body: '{"a":2}' }, secret],
    [{ ...good, headers: { ...good.headers, 'webhook-id': 'evt_2' } }, secret],
    [
      {
        ...good,
        headers: { ...good.headers, 'webhook-timestamp': String(Math.floor(Date.now() / 1000) + 9) },
      },
      secret,
    ],
    [{ ...good, headers: { ...good.headers, 'webhook-signature': '' } }, secret],
    [{ ...good, headers: { ...good.headers, 'webhook-signature': 'v1,bm9wZQ== v2,x v1' } }, secret],
    [good, 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
    [make(Date.now() - 6 * 60_000), secret],
    [make(Date.now() + 6 * 60_000), secret],
  ];
  for (const [received, key] of wrong) assert.equal(await verifies(received, key), false);
});
