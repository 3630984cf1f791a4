import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { ownBrand } from '../../src/base/brand/brand.ts';
import { createMeter } from '../../src/base/metrics/meter.ts';
import { noTracing } from '../../src/base/tracing/tracing.ts';
import { createRecorder, recordInterrupted } from '../../src/notify/webhooks/deliveries/attempt-recorder.ts';
import type { DeliveryEnd } from '../../src/notify/webhooks/deliveries/attempt-store.ts';
import { claimDeliveries } from '../../src/notify/webhooks/deliveries/claim-deliveries.ts';
import { maxAttempts, maxInterruptions } from '../../src/notify/webhooks/deliveries/decide-next.ts';
import { startDeliverer } from '../../src/notify/webhooks/deliveries/deliverer.ts';
import { createMailer } from '../../src/notify/webhooks/mail/mailer.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWebhookWorld, type WebhookWorld } from './support/webhook-world.ts';

const worker = 'a worker';
const callback_url = 'http://127.10.0.0:9/hook';
const hour = 3_600_000;

const openIdle = () => openWebhookWorld({ worker: false });

async function claim({ world }: WebhookWorld, leaseMs = hour) {
  const limits = world.config.deliveries;
  const options = { worker, limit: 10, leaseMs, limits, sealer: world.app.sealer };
  const { deliveries } = await claimDeliveries(world.app.database, options);
  return deliveries;
}

const reclaim = ({ world: { app, watch } }: WebhookWorld) =>
  recordInterrupted(app.database, { watch, leaseMs: hour });

const endOf = ({ id, attempt }: { id: number; attempt: number }): DeliveryEnd => ({
  deliveryId: id,
  attempt,
  worker,
  endpointId: null,
  url: 'https://example.com/hook',
  result: { status: 503, failure: 'status', durationMs: 1, answer: null, retryAfterMs: null },
});

test('a receiver gets its ten attempts however often processes die between them', async () => {
  await using webhooks = await openIdle();
  const { database } = webhooks.world.app;
  const record = createRecorder(database);
  await webhooks.failJob({ callback_url });
  for (let nth = 1; nth <= maxAttempts; nth++) {
    await claim(webhooks, 0);
    assert.equal(await reclaim(webhooks), 1);
    const [delivery] = await claim(webhooks);
    assert(delivery, `attempt ${nth}`);
    const { next } = await record(endOf(delivery));
    assert.equal(next, nth < maxAttempts ? 'retry' : 'failed', `attempt ${nth}`);
    await webhooks.makeDue();
  }
});

test(`a delivery that is interrupted ${maxInterruptions} times fails`, async () => {
  await using webhooks = await openIdle();
  await webhooks.failJob({ callback_url });
  for (let nth = 1; nth <= maxInterruptions; nth++) {
    assert.equal((await webhooks.deliveries())[0]?.status, 'pending');
    await claim(webhooks, 0);
    await reclaim(webhooks);
  }
  const [delivery] = await webhooks.deliveries();
  assert.deepEqual([delivery?.status, delivery?.failure], ['failed', 'interrupted']);
});

for (const [name, failing] of [
  ['described', 'describeJobs'],
  ['sent', 'agent'],
] as const) {
  test(`deliveries that cannot be ${name} are available to the next claim, not only after their lease`, async () => {
    await using webhooks = await openIdle();
    const { world } = webhooks;
    const { database } = world.app;
    await webhooks.failJob({ callback_url });
    const askedAgain = Promise.withResolvers<void>();
    let times = 0;
    const fail = async () => {
      times += 1;
      if (times === 2) askedAgain.resolve();
      throw new Error('not now');
    };
    const deliverer = startDeliverer({
      tracing: noTracing,
      meter: createMeter(),
      mailer: createMailer(null, {
        currency: 'USD',
        takesPayments: () => false,
        languageOf: async () => undefined,
        brand: () => ownBrand,
        publicUrl: () => '',
        unsubscribeUrl: async () => undefined,
      }),
      copyImage: () => assert.fail(),
      database,
      sealer: world.app.sealer,
      guard: { agent: fail },
      checkTarget: () => {
        throw new Error('nothing is sent');
      },
      describeJobs: failing === 'describeJobs' ? fail : async () => new Map(),
      clock: world.clock,
      watch: world.watch,
      log: silentLog,
      policy: { ...world.config.deliveries, leaseMs: hour, pollMs: 1 },
    });
    await askedAgain.promise;
    await deliverer[Symbol.asyncDispose]();
    const [delivery] = await claim(webhooks);
    assert(delivery);
    assert.deepEqual((await webhooks.deliveries())[0]?.attempts, []);
  });
}

test('a delivery that is purged while its attempt is recorded does not prevent others from being recorded', {
  skip: !process.env.TEST_DATABASE_URL,
}, async () => {
  await using webhooks = await openIdle();
  const { world } = webhooks;
  for (const _ of [1, 2]) await webhooks.failJob({ callback_url });
  const [purged, kept] = await claim(webhooks);
  assert(purged && kept);
  const purger = new pg.Client({ connectionString: world.config.databaseUrl });
  await purger.connect();
  await purger.query('begin');
  await purger.query('delete from deliveries where id = $1', [purged.id]);
  const record = createRecorder(world.app.database);
  const recorded = Promise.all([purged, kept].map((delivery) => record(endOf(delivery))));
  for (let waiting = 0; waiting === 0; ) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(world.app.database.read);
    waiting = rows[0]?.count ?? 0;
  }
  await purger.query('commit');
  await purger.end();
  assert.deepEqual(
    (await recorded).map(({ next }) => next),
    ['lost', 'retry'],
  );
  assert.deepEqual(
    (await webhooks.deliveries()).map(({ id, attempts }) => [id, attempts.length]),
    [[kept.id, 1]],
  );
});
