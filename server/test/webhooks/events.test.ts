import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { connect } from '../../src/base/db/connect.ts';
import { systemClock } from '../../src/base/std/clock.ts';
import { lockBalances } from '../../src/money/ledger/ledger-store.ts';
import { recordEvents } from '../../src/notify/webhooks/event-store.ts';
import { openWebhookWorld, type WebhookWorld } from './support/webhook-world.ts';

interface Page {
  data: { id: string; type: string; timestamp: string; data: { job_id: string; status: string } }[];
  next_cursor: string;
  has_more: boolean;
}

async function read({ world }: WebhookWorld, query: string, key = world.key): Promise<Page> {
  const { status, body } = await world.send('GET', `/events${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  assert.equal(status, 200);
  return body as unknown as Page;
}

test('every event of the account comes in order, in pages that neither skip nor repeat; the cursor never ends', async () => {
  await using webhooks = await openWebhookWorld();
  const jobs: string[] = [];
  for (let count = 0; count < 5; count++) jobs.push(await webhooks.failJob());
  const first = await read(webhooks, '?limit=2');
  const second = await read(webhooks, `?limit=2&cursor=${first.next_cursor}`);
  const third = await read(webhooks, `?limit=2&cursor=${second.next_cursor}`);
  assert.deepEqual(
    [first, second, third].map(({ has_more }) => has_more),
    [true, true, false],
  );
  const all = [first, second, third].flatMap(({ data }) => data);
  assert.deepEqual(
    all.map(({ data }) => data.job_id),
    jobs,
  );
  assert.deepEqual([all[0]?.type, all[0]?.data.status], ['job.failed', 'failed']);

  const end = await read(webhooks, `?cursor=${third.next_cursor}`);
  assert.deepEqual(end, { data: [], next_cursor: third.next_cursor, has_more: false });
  assert.equal((await read(webhooks, '?cursor=now')).next_cursor, third.next_cursor);
  const late = await webhooks.failJob();
  assert.deepEqual(
    (await read(webhooks, `?cursor=${end.next_cursor}`)).data.map(({ data }) => data.job_id),
    [late],
  );
});

test('an event has the time when its job ended, even while the clock goes back', async () => {
  await using webhooks = await openWebhookWorld();
  const { world } = webhooks;
  const jobId = await world.create();
  await world.jump(-60 * 60 * 1000);
  const { body: job } = await world.send('POST', `/jobs/${jobId}/cancel`);
  const [event] = (await read(webhooks, '')).data;
  assert.equal(event?.timestamp, job.finished_at);
});

test('an account sees only its own events', async () => {
  await using webhooks = await openWebhookWorld();
  await webhooks.failJob();
  const other = await webhooks.world.account('other');
  assert.deepEqual((await read(webhooks, '', other.key)).data, []);
});

test('an invalid cursor or limit is refused', async () => {
  await using webhooks = await openWebhookWorld();
  const tooLarge = Buffer.from('[1e300]').toString('base64url');
  for (const query of [
    '?cursor=x',
    '?cursor=',
    `?cursor=${tooLarge}`,
    '?limit=0',
    '?limit=101',
    '?limit=ten',
    '?before=1',
  ]) {
    assert.equal((await webhooks.world.send('GET', `/events${query}`)).status, 422, query);
  }
});

// SQLite has one writer at a time, so the order of numbers is always the order of commits.
const onPostgres = process.env.TEST_DATABASE_URL === undefined ? { skip: 'needs PostgreSQL' } : {};

test(
  'an event that is numbered first and commits last is not skipped by a reader in between',
  onPostgres,
  async () => {
    await using webhooks = await openWebhookWorld({ worker: false });
    const { world } = webhooks;
    const [slow, fast] = [await world.create(), await world.create()];
    const written = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    await using database = await connect({ url: world.config.databaseUrl, dataDir: '', clock: systemClock });
    const end = (jobId: string) =>
      ({
        jobId,
        accountId: world.accountId,
        status: 'failed',
        finishedAt: Date.now(),
        callbackUrl: null,
      }) as const;
    const slowly = database.transaction(async (tx) => {
      await lockBalances(tx, [world.accountId]);
      await recordEvents(tx, [end(slow)]);
      written.resolve();
      await release.promise;
    });
    await written.promise;
    // The order in which every settlement works: first the lock, then the event.
    const quickly = world.app.database.transaction(async (tx) => {
      await lockBalances(tx, [world.accountId]);
      await recordEvents(tx, [end(fast)]);
    });
    const early = await Promise.race([quickly.then(() => 'committed'), waitsForLock(database.read)]);
    assert.equal(early, 'waits');
    const between = await read(webhooks, '');
    release.resolve();
    await Promise.all([slowly, quickly]);
    const after = await read(webhooks, `?cursor=${between.next_cursor}`);
    assert.deepEqual(
      [...between.data, ...after.data].map(({ data }) => data.job_id),
      [slow, fast],
    );
    // Removes events of jobs that did not end, because the invariants are checked when the world closes.
    await database.transaction((tx) => sql`delete from events`.execute(tx));
  },
);

async function waitsForLock(
  queries: Parameters<typeof lockBalances>[0] | Awaited<ReturnType<typeof connect>>['read'],
): Promise<'waits'> {
  for (;;) {
    const { rows } =
      await sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(
        queries,
      );
    if (rows.length > 0) return 'waits';
  }
}
