import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { maxAttempts } from '../../src/notify/webhooks/deliveries/decide-next.ts';
import { endJobs } from './support/end-jobs.ts';
import { startReceiver } from './support/receiver.ts';
import { openWebhookWorld, type WebhookWorld } from './support/webhook-world.ts';

const count = 1_000;
const day = 24 * 60 * 60 * 1000;

test('a receiver that was down for a day then gets 1,000 of 1,000 events, each id accepted once', async () => {
  const receiver = await startReceiver();
  const { port } = receiver;
  await receiver[Symbol.asyncDispose](); // from now on the port is closed
  await using webhooks = await openWebhookWorld();
  const { operations, world } = webhooks;
  await operations.replaceEndpoint(world.accountId, 'default', { url: receiver.url });
  await endJobs(world, count);

  let passedMs = 0;
  for (;;) {
    const waitMs = await allWait(webhooks);
    if (passedMs + waitMs > day) break;
    // Skips the time until the last attempt is due.
    passedMs += waitMs;
    await webhooks.makeDue();
  }
  assert(passedMs > day / 2, `${passedMs} ms`);

  await using revived = await startReceiver({ port });
  await webhooks.makeDue();
  await revived.got(count);
  await allWait(webhooks);
  const ids = revived.received.map(({ headers }) => headers['webhook-id']);
  assert.equal(new Set(ids).size, count);
  assert.equal(revived.received.length, count);
  const deliveries = await webhooks.deliveries();
  assert(
    deliveries.every(({ status, attempts }) => status === 'delivered' && attempts.length <= maxAttempts),
  );
  assert.equal(deliveries.length, count);
});

/**
 * Resolves when no attempt is due or running, with the time until the last one is due; infinite if none is left.
 * Counting attempts would not work: on a slow machine, the first deliveries are tried twice before the last have been
 * tried once.
 */
async function allWait(webhooks: WebhookWorld): Promise<number> {
  for (;;) {
    const { rows } = await sql<{ busy: number; wait: number | null }>`select
        count(case when worker is not null or claimable_at <= now_ms() then 1 end) as busy,
        max(claimable_at) - now_ms() as wait
      from deliveries where status = 'pending'`.execute(webhooks.world.app.database.read);
    if (rows[0]?.busy === 0) return rows[0].wait ?? Number.POSITIVE_INFINITY;
    await webhooks.nextAttempt();
  }
}
