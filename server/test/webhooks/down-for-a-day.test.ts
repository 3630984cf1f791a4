import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
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
  await operations.setWebhook(world.accountId, { url: receiver.url });
  await endJobs(world, count);

  let attempts = count;
  let passedMs = 0;
  await webhooks.attempted(attempts);
  for (;;) {
    // All wait now: the time until the last of them is due passes at once.
    const waitMs = await timeToNextRound(webhooks);
    if (passedMs + waitMs > day) break;
    passedMs += waitMs;
    await webhooks.makeDue();
    attempts += count;
    await webhooks.attempted(attempts);
  }
  assert(attempts < 10 * count && passedMs > day / 2, `${attempts} attempts in ${passedMs} ms`);

  await using revived = await startReceiver({ port });
  await webhooks.makeDue();
  await revived.got(count);
  await webhooks.attempted(attempts + count);
  const ids = revived.received.map(({ headers }) => headers['webhook-id']);
  assert.equal(new Set(ids).size, count);
  assert.equal(revived.received.length, count);
  const deliveries = await webhooks.deliveries();
  assert(deliveries.every(({ status }) => status === 'delivered'));
  assert.equal(deliveries.length, count);
});

async function timeToNextRound({ world }: WebhookWorld): Promise<number> {
  const { rows } = await sql<{ wait: number }>`select max(claimable_at) - now_ms() as wait from deliveries
    where status = 'pending'`.execute(world.app.database.read);
  return rows[0]?.wait ?? 0;
}
