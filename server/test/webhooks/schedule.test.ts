import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { maxRetryAfterMs, parseRetryAfter } from '../../src/base/std/retry-after.ts';
import {
  decideNext,
  maxAttempts,
  maxInterruptions,
  noEarlierAttempts,
  waitsMs,
} from '../../src/notify/webhooks/deliveries/decide-next.ts';
import { exchangeMs } from '../../src/notify/webhooks/send-webhook.ts';
import { expire } from '../world/expire.ts';
import { answerWith, startReceiver } from './support/receiver.ts';
import { openWebhookWorld } from './support/webhook-world.ts';

const failed = { failure: 'status', retryAfterMs: null } as const;
const interrupted = { failure: 'interrupted', retryAfterMs: null } as const;
const after = (ended: number) => ({ ended, interrupted: 0 });
const minute = 60_000;

test('there are ten attempts over three days, each wait jittered by ten percent at most', () => {
  assert.equal(maxAttempts, 10);
  assert.deepEqual(
    waitsMs.map((ms) => ms / minute),
    [5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440],
  );
  for (let attempt = 1; attempt < maxAttempts; attempt++) {
    const exact = waitsMs[attempt - 1] ?? 0;
    for (const [random, factor] of [
      [0, 0.9],
      [0.5, 1],
      [1, 1.1],
    ] as const) {
      assert.deepEqual(
        decideNext(after(attempt - 1), failed, () => random),
        { kind: 'retry', delayMs: Math.round(exact * factor) },
      );
    }
  }
  assert.deepEqual(decideNext(after(maxAttempts - 1), failed), { kind: 'failed' });
  assert.equal(exchangeMs, 15_000);
});

test('interruptions use up no attempt, and are counted separately', () => {
  const atOnce = { kind: 'retry', delayMs: 0 };
  assert.deepEqual(decideNext(after(maxAttempts - 1), interrupted), atOnce);
  assert.deepEqual(decideNext({ ended: 0, interrupted: maxInterruptions - 2 }, interrupted), atOnce);
  assert.deepEqual(decideNext({ ended: 0, interrupted: maxInterruptions - 1 }, interrupted), {
    kind: 'failed',
  });
  assert.deepEqual(
    decideNext({ ended: 0, interrupted: maxInterruptions - 1 }, failed, () => 0.5),
    { kind: 'retry', delayMs: waitsMs[0] },
  );
});

test('Retry-After counts in seconds and as a date, is capped at a day, and ignored when negative or garbage', () => {
  const now = Date.parse('2026-11-20T10:00:00Z');
  assert.equal(parseRetryAfter('120', now), 120_000);
  assert.equal(parseRetryAfter('Fri, 20 Nov 2026 10:02:00 GMT', now), 120_000);
  assert.equal(parseRetryAfter('999999999', now), maxRetryAfterMs);
  assert.equal(maxRetryAfterMs, 24 * 60 * minute);
  for (const value of [
    undefined,
    '',
    '-5',
    '1.5',
    'soon',
    '1e3',
    '0x10',
    '20 Nov 2026',
    'Fri, 99 Xyz 2026 10:02:00 GMT',
  ]) {
    assert.equal(parseRetryAfter(value, now), null, value);
  }
  assert.equal(parseRetryAfter('Fri, 20 Nov 2026 09:00:00 GMT', now), -60 * minute);
});

test('Retry-After delays the next attempt, and never brings it forward', () => {
  assert.deepEqual(decideNext(noEarlierAttempts, { failure: 'status', retryAfterMs: 120_000 }), {
    kind: 'retry',
    delayMs: 120_000,
  });
  assert.deepEqual(
    decideNext(after(2), { failure: 'status', retryAfterMs: 120_000 }, () => 0.5),
    { kind: 'retry', delayMs: 30 * minute },
  );
});

test('a receiver that answers 429 with Retry-After: 120 is left alone for 120 seconds', async () => {
  await using receiver = await startReceiver();
  receiver.answer = answerWith(429, { 'retry-after': '120' });
  await using webhooks = await openWebhookWorld();
  await webhooks.failJob({ callback_url: receiver.url });
  await webhooks.attempted(1);
  const [delivery] = await webhooks.deliveries();
  const wait = (delivery?.nextAttemptAt ?? 0) - (delivery?.attempts[0]?.at ?? 0);
  assert(wait >= 119_000 && wait <= 125_000, String(wait));
});

test('a receiver that never succeeds gets exactly ten requests, and every attempt is kept', async () => {
  await using receiver = await startReceiver();
  receiver.answer = answerWith(503, {}, 'x'.repeat(5_000));
  await using webhooks = await openWebhookWorld();
  await webhooks.failJob({ callback_url: receiver.url });
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    await webhooks.attempted(attempt);
    await webhooks.makeDue();
  }
  const [delivery] = await webhooks.deliveries();
  assert.deepEqual(
    [delivery?.status, delivery?.failure, delivery?.attempts.length],
    ['failed', 'status', maxAttempts],
  );
  assert.equal(receiver.received.length, maxAttempts);
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1);
  for (const attempt of delivery?.attempts ?? []) {
    assert.deepEqual([attempt.status, attempt.failure, attempt.answer], [503, 'status', 'x'.repeat(2_048)]);
  }
});

test('deliveries and their attempts are removed together with their job', async () => {
  await using receiver = await startReceiver();
  await using webhooks = await openWebhookWorld();
  const { world } = webhooks;
  await webhooks.failJob({ callback_url: receiver.url });
  await webhooks.attempted(1);
  await expire(world.app, -1_000);
  assert.deepEqual(await webhooks.deliveries(), []);
  const { rows } = await sql<{ count: number }>`select count(*) as count from delivery_attempts`.execute(
    world.app.database.read,
  );
  assert.equal(rows[0]?.count, 0);
});
