import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { DatabaseUnavailable } from '../../src/base/db/database.ts';
import { newId } from '../../src/base/std/ids.ts';
import { openS3Store } from '../../src/images/s3/s3-store.ts';
import { createCopyImage } from '../../src/notify/webhooks/buckets/copy-image.ts';
import type { PutContext } from '../../src/notify/webhooks/buckets/put-object.ts';
import type { DeliveredEvent } from '../../src/notify/webhooks/delivery.ts';
import { readBytes } from '../images/conformance.ts';
import { type FaultyServer, s3Credentials, startFaulty, startS3 } from '../images/s3-servers.ts';
import { startReceiver } from './support/receiver.ts';
import { startProcess } from './support/start-process.ts';
import { openWebhookWorld, type WebhookWorld } from './support/webhook-world.ts';

const timeout = 120_000;
const loopback = '127.0.0.0/8';
const bucket = 'images';
const server = await startS3([bucket]);
after(() => server[Symbol.asyncDispose]());

const credentials = {
  access_key_id: s3Credentials.accessKeyId,
  secret_access_key: s3Credentials.secretAccessKey,
};
const wrongSecret = 'a-secret-that-is-not-right';
const wrong = { ...credentials, secret_access_key: wrongSecret };

const open = (options: Parameters<typeof openWebhookWorld>[0] = {}) =>
  openWebhookWorld({ makesImages: true, ...options, env: { DARKROOM_ALLOW_NETWORKS: loopback } });

const urlAt = ({ endpoint }: Pick<FaultyServer, 'endpoint'>, place = `${bucket}/shop`) =>
  `s3://${place}?region=us-east-1&endpoint=${endpoint}`;

async function addBucket({ world }: WebhookWorld, url: string, given: object = credentials) {
  const { status, body } = await world.send('POST', '/webhooks', { body: { url, credentials: given } });
  assert.equal(status, 201, JSON.stringify(body));
  return body as { endpoint_id: string; is_default: boolean; secret: string; secret_hint: string };
}

async function makeImage({ world }: WebhookWorld, body: object = {}): Promise<string> {
  const jobId = await world.create('/nb2/text-generations', body);
  assert.equal((await world.finished(jobId)).status, 'done');
  return jobId;
}

async function copyOf(webhooks: WebhookWorld, attempts: number) {
  for (;;) {
    const copy = (await webhooks.deliveries()).find(({ url }) => url.startsWith('s3://'));
    if (copy && copy.attempts.length >= attempts) return copy;
    await webhooks.nextAttempt();
  }
}

/** The same copy once it has ended. On a slow machine, a scheduled attempt may come in between. */
async function endOf(webhooks: WebhookWorld) {
  for (;;) {
    await webhooks.makeDue();
    const copy = await copyOf(webhooks, 1);
    if (copy.status !== 'pending') return copy;
    await webhooks.nextAttempt();
  }
}

async function keyOf({ world }: WebhookWorld, jobId: string): Promise<string> {
  const { body } = await world.send('GET', `/jobs/${jobId}`);
  return `${String(body.finished_at).slice(0, 10).replaceAll('-', '/')}/${jobId}.png`;
}

async function copied(key: string): Promise<Buffer> {
  const place = { bucket, prefix: 'shop', region: 'us-east-1', endpoint: server.endpoint };
  const store = await openS3Store({ ...place, credentials: s3Credentials });
  try {
    return await readBytes(store, key);
  } finally {
    await store[Symbol.asyncDispose]?.();
  }
}

async function storedHash({ world }: WebhookWorld, jobId: string): Promise<string> {
  const row = await world.app.database.read
    .selectFrom('jobs')
    .select('image_sha256')
    .where('id', '=', jobId)
    .executeTakeFirstOrThrow();
  return String(row.image_sha256);
}

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const failing = (status: number) => (_: unknown, answer: ServerResponse) => {
  answer.writeHead(status).end();
  return true;
};

test('every done job’s image is copied once, even with a callback_url, and a bucket never gets webhooks', {
  timeout,
}, async () => {
  await using webhooks = await open();
  await using faulty = await startFaulty(server.endpoint);
  await using receiver = await startReceiver();
  const { world } = webhooks;
  const headers: IncomingHttpHeaders[] = [];
  faulty.fault = (incoming) => {
    headers.push(incoming.headers);
    return false;
  };
  const added = await addBucket(webhooks, urlAt(faulty));
  assert.deepEqual([added.is_default, added.secret, added.secret_hint], [false, '', '']);
  assert.equal((await world.send('GET', '/webhooks/default')).status, 404);

  const jobId = await makeImage(webhooks, { callback_url: receiver.url });
  await receiver.got(1);
  const key = await keyOf(webhooks, jobId);
  const path = `/${bucket}/shop/${key}`;
  for (;;) {
    const all = await webhooks.deliveries();
    const done = all.filter(({ status, jobId: of }) => status === 'delivered' && of === jobId);
    if (done.length === 2) break;
    await webhooks.nextAttempt();
  }
  assert.equal(hashOf(await copied(key)), await storedHash(webhooks, jobId));
  assert.equal(faulty.requests.filter((seen) => seen === `PUT ${path}`).length, 1);
  const sent = headers.find((one) => one['x-amz-meta-job-id'] === jobId);
  assert.equal(sent?.['content-type'], 'image/png');
});

test('replaying the delivery to a callback_url copies nothing again, and answers with the new delivery', {
  timeout,
}, async () => {
  await using webhooks = await open();
  await using receiver = await startReceiver();
  const { world } = webhooks;
  await addBucket(webhooks, urlAt(server));
  await makeImage(webhooks, { callback_url: receiver.url });
  for (;;) {
    const all = await webhooks.deliveries();
    if (all.length === 2 && all.every(({ status }) => status === 'delivered')) break;
    await webhooks.nextAttempt();
  }
  const { data } = (await world.send('GET', '/deliveries')).body as {
    data: { delivery_id: string; url: string }[];
  };
  const own = data.find(({ url }) => url === receiver.url);
  const { body } = await world.send('POST', `/deliveries/${own?.delivery_id}/replay`);
  assert.equal(body.url, receiver.url);
  assert.notEqual(body.delivery_id, own?.delivery_id);
  assert.equal((await webhooks.deliveries()).length, 3);
  await receiver.got(2);
});

test('a copy that fails is retried until the store takes it, and shows why it failed', {
  timeout,
}, async () => {
  await using webhooks = await open();
  await using faulty = await startFaulty(server.endpoint);
  await addBucket(webhooks, urlAt(faulty));
  faulty.fault = failing(503);
  const jobId = await makeImage(webhooks);
  const failed = await copyOf(webhooks, 1);
  assert.equal(failed.status, 'pending');
  assert.deepEqual([failed.attempts[0]?.status, failed.attempts[0]?.failure], [503, 'status']);
  const { body } = await webhooks.world.send('GET', '/webhooks');
  const [endpoint] = body.data as { failing_since: string | null }[];
  assert.notEqual(endpoint?.failing_since, null);

  faulty.fault = () => false;
  assert.equal((await endOf(webhooks)).status, 'delivered');
  assert.equal(hashOf(await copied(await keyOf(webhooks, jobId))), await storedHash(webhooks, jobId));
});

test('a test of a bucket at another address is refused with the reason', async () => {
  await using webhooks = await open();
  const { endpoint_id: id } = await addBucket(webhooks, urlAt(server));
  const { send } = webhooks.world;
  const { status, body } = await send('POST', `/webhooks/${id}/test`, {
    body: { url: 'https://example.com' },
  });
  assert.deepEqual([status, body.code], [422, 'invalid_request']);
  assert.match(JSON.stringify(body), /a bucket is tested at its own address/);
});

test('a copy waits for its next attempt if the database cannot say where the image is', async () => {
  await using webhooks = await open();
  const copyImage = createCopyImage({
    findImage: () => Promise.reject(new DatabaseUnavailable('The database does not answer.')),
    images: webhooks.world.app.images,
  });
  const event = { jobId: newId(Date.now()), createdAt: 0 } as DeliveredEvent; // only these fields are read
  const to = { url: 's3://images', key: { accessKeyId: 'a', secretAccessKey: 'b' } };
  const { failure } = await copyImage(event, to, {} as PutContext); // it fails before any PUT
  assert.equal(failure, 'image_unreadable');
});

test('the store’s answer is shown in words by the test and the delivery; credentials are never shown, and can be replaced', {
  timeout,
}, async () => {
  await using webhooks = await open();
  await using faulty = await startFaulty(server.endpoint);
  const { world } = webhooks;
  const account = world.accountId;
  const answers: unknown[] = [];
  const send: typeof world.send = async (...request) => {
    const reply = await world.send(...request);
    answers.push(reply.body);
    return reply;
  };
  const { endpoint_id: id } = await addBucket(webhooks, urlAt(faulty), wrong);
  const { body: told } = await send('POST', `/webhooks/${id}/test`, {});
  assert.deepEqual([told.failure, told.status], ['bucket_refused', 403]);
  assert.match(String(told.answer), /denies access.*SignatureDoesNotMatch/);
  await makeImage(webhooks);
  const copy = await copyOf(webhooks, 1);
  assert.equal(copy.attempts[0]?.failure, 'bucket_refused');
  await send('GET', `/deliveries/${copy.id}`);

  const none = await addBucket(webhooks, urlAt(faulty, 'nowhere'));
  const { body: missing } = await send('POST', `/webhooks/${none.endpoint_id}/test`, {});
  assert.match(String(missing.answer), /the bucket does not exist/);
  await send('DELETE', `/webhooks/${none.endpoint_id}`);

  assert.equal((await send('POST', `/webhooks/${id}/rotate`, { body: {} })).status, 422);
  await assert.rejects(webhooks.operations.revealEndpointSecret(account, id), {
    code: 'invalid_request',
  });
  await send('GET', '/webhooks');
  const rows = await world.app.database.read.selectFrom('signing_secrets').selectAll().execute();
  const audit = await world.app.database.read.selectFrom('audit_log').selectAll().execute();
  const attempts = await webhooks.attempted(1);
  answers.push(rows, audit, attempts, await webhooks.operations.listEndpoints(account));
  assert.doesNotMatch(JSON.stringify(answers), new RegExp(wrongSecret));
  assert.ok(
    audit.some(({ action, detail }) => action === 'webhook.added' && detail.includes(`s3://${bucket}`)),
  );

  const { status } = await send('PUT', `/webhooks/${id}`, { body: { url: urlAt(faulty), credentials } });
  assert.equal(status, 200);
  assert.equal((await send('POST', `/webhooks/${id}/test`, {})).body.failure, null);
  assert.equal((await endOf(webhooks)).status, 'delivered');

  await send('DELETE', `/webhooks/${id}`);
  const left = world.app.database.read.selectFrom('signing_secrets').selectAll().where('owner_id', '=', id);
  assert.deepEqual(await left.execute(), []);
});

test('an image that was deleted before its copy ends the delivery, and does not count against the bucket', {
  timeout,
}, async () => {
  await using webhooks = await open();
  await using faulty = await startFaulty(server.endpoint);
  const { endpoint_id: id } = await addBucket(webhooks, urlAt(faulty));
  faulty.fault = failing(500);
  const jobId = await makeImage(webhooks);
  await copyOf(webhooks, 1);
  faulty.fault = () => false;
  const { status } = await webhooks.world.send('DELETE', `/jobs/${jobId}/image`);
  assert.equal(status, 204);
  const copy = await endOf(webhooks);
  assert.deepEqual([copy.status, copy.failure], ['failed', 'image_gone']);
  const { body } = await webhooks.world.send('GET', `/webhooks/${id}`);
  assert.equal(body.enabled, true);
});

test('a bucket that is added later gets earlier images when a replay names it', {
  timeout,
}, async () => {
  await using webhooks = await open();
  await using faulty = await startFaulty(server.endpoint);
  await using receiver = await startReceiver();
  await webhooks.operations.replaceEndpoint(webhooks.world.accountId, 'default', { url: receiver.url });
  const jobId = await makeImage(webhooks);
  await receiver.got(1);
  const { endpoint_id } = await addBucket(webhooks, urlAt(faulty));
  await webhooks.attempted(1);
  const { accountId } = webhooks.world;
  assert.deepEqual(await webhooks.operations.replayDeliveries(accountId, { endpoint_id }), { replayed: 1 });
  assert.equal((await copyOf(webhooks, 1)).status, 'delivered');
  assert.equal(hashOf(await copied(await keyOf(webhooks, jobId))), await storedHash(webhooks, jobId));
  assert.deepEqual(await webhooks.operations.replayDeliveries(accountId, { endpoint_id }), { replayed: 0 });
  assert.equal(receiver.received.length, 1);
});

test('private addresses are refused as for webhooks, when the bucket is added and at every attempt', {
  timeout,
}, async () => {
  await using webhooks = await openWebhookWorld({ makesImages: true }); // opens only 127.10.0.0/16
  const { world } = webhooks;
  const refused = [
    's3://images?endpoint=http://127.0.0.1:9000',
    's3://images?endpoint=http://169.254.169.254',
    's3://images?endpoint=http://[::1]:9000',
    's3://images?endpoint=https://metadata.google.internal',
    's3://images?endpoint=file:///etc',
    's3://key:secret@images',
  ];
  for (const url of refused) {
    const { status, body } = await world.send('POST', '/webhooks', { body: { url, credentials } });
    assert.deepEqual([status, body.code], [422, 'invalid_request'], url);
  }
  const url = 's3://images?endpoint=http://127.10.0.1:9';
  for (const body of [
    { url },
    { url, credentials, events: ['job.failed'] },
    { url: 'https://example.com', credentials },
  ])
    assert.equal((await world.send('POST', '/webhooks', { body })).status, 422);
  assert.equal((await world.send('PUT', '/webhooks/default', { body: { url } })).status, 422);
  const { endpoint_id: id } = await addBucket(webhooks, url);
  const turned = await world.send('PUT', `/webhooks/${id}`, { body: { url: 'https://example.com' } });
  assert.equal(turned.status, 422);

  const inside = 's3://images?endpoint=http://10.0.0.1';
  await world.app.database.transaction((tx) => tx.updateTable('endpoints').set({ url: inside }).execute());
  await makeImage(webhooks);
  assert.equal((await copyOf(webhooks, 1)).attempts[0]?.failure, 'blocked_address');
});

test('kill -9 in the middle of a copy: the next process makes the copy', { timeout }, async () => {
  await using faulty = await startFaulty(server.endpoint);
  await using webhooks = await open({ worker: false });
  await addBucket(webhooks, urlAt(faulty));
  const begun = Promise.withResolvers<void>();
  faulty.fault = () => {
    begun.resolve();
    return true; // the request is never answered
  };
  const first = await startProcess(webhooks, 'worker', loopback);
  await using _ = first;
  const jobId = await webhooks.world.create('/nb2/text-generations');
  await begun.promise;
  await first.kill();
  faulty.fault = () => false;
  // Ends the lease at once instead of after its time.
  await webhooks.world.app.database.transaction((tx) =>
    sql`update deliveries set claimable_at = now_ms() where worker is not null`.execute(tx),
  );
  await using _second = await startProcess(webhooks, 'worker', loopback);
  const copy = await copyOf(webhooks, 2);
  assert.deepEqual(
    copy.attempts.map(({ failure }) => failure),
    ['interrupted', null],
  );
  assert.equal(hashOf(await copied(await keyOf(webhooks, jobId))), await storedHash(webhooks, jobId));
});
