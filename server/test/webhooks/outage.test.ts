import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { TestProvider } from '../world/provider.ts';
import { testRoutes } from '../world/world.ts';
import { endJobs } from './support/end-jobs.ts';
import { type Receiver, startReceiver } from './support/receiver.ts';
import { openWebhookWorld, type WebhookWorld } from './support/webhook-world.ts';

// OUTAGE_EVENTS=10000 makes the published number of events.
const count = Number(process.env.OUTAGE_EVENTS ?? 2_000);
const { perHost } = readConfig({}).deliveries;
const otherAddress = '127.10.0.2';
// As slow as a receiver that writes to its database.
const holdMs = 50;
// A job and its webhook take milliseconds on an idle machine, and a second on a busy one.
const mostMs = 10_000;

test(`${count} webhooks that are due at once after an outage come ${perHost} at a time, each once; jobs and other hosts continue`, {
  timeout: 300_000,
}, async (t) => {
  const down = await startReceiver();
  const { port, url } = down;
  await down[Symbol.asyncDispose](); // from now on the port is closed
  // Workers make only `nb2`, so the test itself ends the jobs of `nb`.
  const routes = testRoutes(new TestProvider()).filter(({ model }) => model === 'nb2');
  await using webhooks = await openWebhookWorld({ makesImages: true, replacements: { routes } });
  const { operations, world } = webhooks;
  await operations.replaceEndpoint(world.accountId, 'default', { url });
  await endJobs(world, count);
  await webhooks.attempted(count);

  await using other = await startReceiver({ address: otherAddress });
  await using revived = await startReceiver({ port });
  const load = holdAnswers(revived);
  const beganAt = performance.now();
  let arriving = true;
  const meanwhile = (async () => {
    const times: number[] = [];
    while (arriving) {
      // Repeated, because on a slow machine the first deliveries fail twice before the last has failed once, and
      // running ones would wait for minutes.
      await webhooks.makeDue();
      times.push(await jobWithWebhook(webhooks, other));
    }
    return times;
  })();
  await revived.got(count);
  arriving = false;
  const seconds = (performance.now() - beganAt) / 1_000;
  const times = await meanwhile;
  await webhooks.attempted(2 * count + times.length);

  t.diagnostic(
    `${Math.round(count / seconds)} a second, ${load.most} at most at the same time; ${times.length} jobs ` +
      `meanwhile, the slowest with its webhook after ${Math.round(Math.max(...times))} ms`,
  );
  assert.equal(revived.received.length, count);
  assert.equal(new Set(revived.received.map(({ headers }) => headers['webhook-id'])).size, count);
  assert.equal(load.most, perHost, 'requests at the same time');
  assert.ok(times.length > 1 && Math.max(...times) < mostMs, `${Math.max(...times)} ms`);
});

/** Answers nothing until as many requests have come as may come at the same time, however slowly they come. */
function holdAnswers(receiver: Receiver): { most: number } {
  const load = { most: 0 };
  let underWay = 0;
  const full = Promise.withResolvers<void>();
  receiver.answer = (response) => {
    underWay += 1;
    load.most = Math.max(load.most, underWay);
    if (underWay === perHost) full.resolve();
    const answer = () => {
      underWay -= 1;
      response.writeHead(204).end();
    };
    void full.promise.then(() => setTimeout(answer, holdMs));
  };
  return load;
}

async function jobWithWebhook({ world }: WebhookWorld, receiver: Receiver): Promise<number> {
  const startedAt = performance.now();
  const before = receiver.received.length;
  const job = await world.finished(
    await world.create('/nb2/text-generations', { callback_url: receiver.url }),
  );
  assert.equal(job.status, 'done');
  await receiver.got(before + 1);
  return performance.now() - startedAt;
}
