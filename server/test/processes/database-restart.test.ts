import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCluster } from '../world/postgres.ts';
import { clientOf, createJob, finished, type Reply, refusedPrompt, textPath } from './support/client.ts';
import { openInstallation } from './support/installation.ts';

const body = { prompt: refusedPrompt, aspect_ratio: '1:1' };

test('while PostgreSQL is down, requests get 503 with Retry-After; afterwards everything continues without a restart', async (t) => {
  await using cluster = await startCluster({ durable: true });
  await using place = await openInstallation({ url: cluster.url });
  const { key } = await place.account(10_000_000n);
  const [api] = await Promise.all([place.start('api'), place.start('worker')]);
  const client = clientOf(api, key);
  await finished(client, await createJob(client, refusedPrompt));

  for (const how of ['fast', 'immediate'] as const) {
    const headers = { 'idempotency-key': `sent-while-away-${how}` };
    await cluster.stop(how);
    try {
      assertAway(await client('POST', textPath, { body, headers }));
      assertAway(await client('GET', '/balance'));
      assertAway(await client('POST', textPath, { body }));
      assertAway(await ask(`${api.url}/readyz`));
      assert.equal((await ask(`${api.url}/livez`)).status, 200);
    } finally {
      await cluster.start();
    }
    const began = performance.now();
    const reply = await untilServed(() => client('POST', textPath, { body, headers }));
    assert.equal(reply.status, 202);
    // Ready again at the next question, if a busy database needed more than a second for the first.
    assert.equal((await untilServed(() => ask(`${api.url}/readyz`))).status, 200);
    assert.equal((await finished(client, String(reply.body.job_id))).status, 'failed');
    t.diagnostic(
      `after a ${how} stop: served and run ${Math.round(performance.now() - began)} ms after it was back`,
    );
    await finished(client, await createJob(client, refusedPrompt));
  }
  const jobs = await place.database.read.selectFrom('jobs').select('id').execute();
  assert.equal(jobs.length, 5, 'the first, and after each start the one that was sent again and another');
});

async function ask(url: string): Promise<Reply> {
  const response = await fetch(url);
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

function assertAway({ status, body, headers }: Reply): void {
  assert.equal(status, 503);
  assert.equal(body.code, 'database_unavailable');
  assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
}

/** Retries as a client that obeys Retry-After does, in less time. */
async function untilServed(send: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const reply = await send();
    if (reply.status !== 503) return reply;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
