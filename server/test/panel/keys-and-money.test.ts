import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { findJob } from '../../src/jobs/job-store.ts';
import { readRouteStats } from '../../src/jobs/routes/route-stats-store.ts';
import { ProviderError } from '../../src/upstream/providers/provider.ts';
import { until } from '../faults/support/server.ts';
import { eventually } from '../routes/support.ts';
import { toNoon } from '../world/to-noon.ts';
import { openWorld } from '../world/world.ts';
import { openMember } from './browser.ts';
import { addEndedJobs } from './support/ended-jobs.ts';
import { email, makeImage, text } from './support/member.ts';

suite('keys in the panel', () => {
  test('a key is shown once, works within its scope, and is refused once it is disabled', async () => {
    await using world = await openWorld();
    const browser = await openMember(world, { email });
    const { key: secret, ...key } = await browser.call('POST /api/v1/keys', {
      body: { name: 'ci', models: ['nb'] },
    });
    assert.ok(!(await browser.try('GET /api/v1/keys')).text.includes(secret));
    const headers = { authorization: `Bearer ${secret}` };
    const body = { prompt: 'a fox', aspect_ratio: '1:1' };
    const accepted = await world.send('POST', '/nb/text-generations', { headers, body });
    assert.equal(accepted.status, 202);
    assert.equal((await world.send('POST', '/nb2/text-generations', { headers, body })).status, 403);
    await world.finished(String(accepted.body.job_id));

    const [listed] = (await browser.call('GET /api/v1/keys')).data.filter(
      ({ key_id }) => key_id === key.key_id,
    );
    assert.deepEqual([listed?.spent_30d, listed?.jobs_30d, listed?.status], ['0.02', 1, 'active']);
    const disabled = await browser.call('POST /api/v1/keys/:key_id/disable', {
      params: { key_id: key.key_id },
    });
    assert.equal(disabled.status, 'disabled');
    world.clock.advance(2_000); // after the second for which a process caches a key
    assert.equal((await world.send('GET', '/balance', { headers })).status, 401);
  });

  test('a key says when it was last used, with at most one write per minute', async () => {
    await using world = await openWorld();
    const browser = await openMember(world, { email });
    const makeKey = (name: string) =>
      browser.call('POST /api/v1/keys', {
        body: { name, models: null },
      });
    const send = async (secret: string) => {
      const reply = await world.send('GET', '/balance', { headers: { authorization: `Bearer ${secret}` } });
      assert.equal(reply.status, 200);
    };
    const { key: secret, ...key } = await makeKey('app');
    /**
     * Reads when the key was last used, once a later use of another key is recorded, because uses are written in order.
     */
    const useAndRead = async () => {
      const witness = await makeKey('witness');
      await send(secret);
      await send(witness.key);
      const data = await until(async () => {
        const { data } = await browser.call('GET /api/v1/keys');
        const isUsed = data.some(({ key_id, last_used_at }) => key_id === witness.key_id && last_used_at);
        return isUsed && data;
      });
      const used = await browser.call('GET /api/v1/keys/:key_id', {
        params: { key_id: key.key_id },
      });
      assert.equal(used.last_used_address, '127.0.0.1');
      return data.find(({ key_id }) => key_id === key.key_id)?.last_used_at;
    };

    assert.equal(key.last_used_at, null);
    const first = await useAndRead();
    assert.ok(Math.abs(Date.parse(first ?? '') - world.clock.nowMs()) < 30_000);
    world.clock.advance(25_000);
    assert.equal(await useAndRead(), first);
    world.clock.advance(60_000);
    const second = await useAndRead();
    assert.ok(Date.parse(second ?? '') - Date.parse(first ?? '') >= 85_000);
  });

  test('a rolled key works together with the new one until the overlap is over', async () => {
    await using world = await openWorld();
    const browser = await openMember(world, { email });
    const first = await browser.call('POST /api/v1/keys', {
      body: { name: 'app', models: ['pro'] },
    });
    const { key_id } = first;
    const second = await browser.call('POST /api/v1/keys/:key_id/roll', {
      params: { key_id },
      body: { overlap: 3600 },
    });
    assert.deepEqual([second.name, second.models], ['app', ['pro']]);
    const works = async (secret: string) =>
      (await world.send('GET', '/balance', { headers: { authorization: `Bearer ${secret}` } })).status;
    assert.deepEqual([await works(first.key), await works(second.key)], [200, 200]);
    world.clock.advance(61 * 60 * 1000);
    assert.deepEqual([await works(first.key), await works(second.key)], [401, 200]);
    const third = await browser.call('POST /api/v1/keys/:key_id/roll', {
      params: { key_id: second.key_id },
      body: { overlap: 0 },
    });
    world.clock.advance(2_000);
    assert.deepEqual([await works(second.key), await works(third.key)], [401, 200]);
    const again = await browser.try('POST /api/v1/keys/:key_id/roll', {
      params: { key_id },
      body: { overlap: 0 },
    });
    assert.equal(again.status, 422);
  });
});

suite('money in the panel', () => {
  test('every entry shows the balance right after it, over all pages and in the CSV', async () => {
    await using world = await openWorld();
    const browser = await openMember(world, { email });
    for (const path of ['/nb/text-generations', '/nb2/text-generations', '/text-generations'])
      await world.finished(await world.create(path));
    const entries = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: {
        data: {
          entry_id: string;
          balance_after: string | null;
          reserved_after: string | null;
          prompt?: string | null;
        }[];
        next_cursor: string | null;
      } = await browser.call('GET /api/v1/entries', {
        query: { limit: '2', include: 'prompt', ...(cursor && { cursor }) },
      });
      entries.push(...page.data);
      cursor = page.next_cursor;
    }
    assert.equal(entries.length, 7);
    assert.deepEqual([entries[0]?.prompt, entries.at(-1)?.prompt], ['a fox', null]);
    assert.deepEqual([entries[0]?.balance_after, entries[0]?.reserved_after], ['99.86', '0.00']);
    assert.deepEqual([entries.at(-1)?.balance_after, entries.at(-1)?.reserved_after], ['100.00', '0.00']);

    await world.account('with its own entries', { creditMicros: 1_000_000n });
    const rows = (await browser.call('GET /api/v1/entries.csv')).trim().split('\r\n').slice(1);
    const fromCsv = rows.map((row) => row.split(',').slice(6, 8));
    assert.deepEqual(
      fromCsv,
      entries.toReversed().map(({ balance_after, reserved_after }) => [balance_after, reserved_after]),
    );
    const credits = await browser.call('GET /api/v1/entries', {
      query: { kind: 'credit' },
    });
    assert.deepEqual(
      credits.data.map(({ amount, balance_after }) => [amount, balance_after]),
      [['100.00', null]],
    );
  });

  test('usage of more jobs than a page holds is counted to the last one', async () => {
    await using world = await openWorld();
    await toNoon(world);
    const browser = await openMember(world, { email });
    await addEndedJobs(world, 10_200);
    assert.equal((await browser.call('GET /api/v1/usage')).total.failed, 10_200);
    const { hours } = await browser.call('GET /panel/accounts/:account_id/overview');
    assert.deepEqual(
      hours.slice(1, -1).map(({ failed }) => failed),
      Array.from({ length: 22 }, () => 60),
    );
  });

  test('usage adds up to what was captured, day by day, by model and by key', async () => {
    await using world = await openWorld();
    await toNoon(world);
    const browser = await openMember(world, { email });
    await world.finished(await world.create('/nb/text-generations'));
    const { job_id } = await browser.call(makeImage, text);
    await world.finished(job_id);
    const today = new Date(world.clock.nowMs()).toISOString().slice(0, 10);
    const include = 'times';
    const byModel = await browser.call('GET /api/v1/usage', { query: { include } });
    assert.deepEqual([byModel.days.length, byModel.hours], [30, undefined]);
    const { p50_ms, p95_ms, ...total } = byModel.total;
    assert.deepEqual(total, { cost: '0.08', jobs: 2, done: 2, failed: 0 });
    assert.ok(p50_ms && p95_ms && p50_ms <= p95_ms);
    assert.deepEqual(
      byModel.series.map(({ id, cost }) => [id, cost]),
      [
        ['nb2', '0.06'],
        ['nb', '0.02'],
      ],
    );
    assert.deepEqual([byModel.days.at(-1)?.day, byModel.days.at(-1)?.cost], [today, '0.08']);
    const byKey = await browser.call('GET /api/v1/usage', {
      query: { group_by: 'key', from: today, to: today, include },
    });
    assert.deepEqual(
      byKey.series.map(({ id, name }) => [id === 'panel', name]),
      [
        [true, 'Panel'],
        [false, 'key'],
      ],
    );
    const hour = new Date(world.clock.nowMs()).getUTCHours();
    assert.deepEqual([byKey.hours?.length, byKey.hours?.[hour]?.jobs, byKey.days[0]?.jobs], [24, 2, 2]);
    const ofKey = await browser.call('GET /api/v1/usage', {
      query: { group_by: 'status', key_id: byKey.series[1]?.id ?? '' },
    });
    assert.deepEqual([ofKey.total.jobs, ofKey.series.map(({ id }) => id)], [1, ['done']]);
    const errors = await browser.call('GET /api/v1/usage', { query: { group_by: 'error' } });
    assert.deepEqual(
      errors.series.map(({ id, jobs }) => [id, jobs]),
      [['', 2]],
    );
    const byResolution = await browser.call('GET /api/v1/usage', {
      query: { group_by: 'resolution' },
    });
    assert.deepEqual(
      byResolution.series.map(({ id, jobs }) => [id, jobs]),
      [
        ['2K', 1],
        ['1K', 1],
      ],
    );
    assert.equal((await browser.try('GET /api/v1/usage', { query: { from: '2020-01-01' } })).status, 422);
    assert.equal((await browser.call('GET /api/v1/usage.csv')).trim().split('\r\n').length, 3);
  });

  test('a cancelled job is not a failure, neither of the day nor of its route', async () => {
    await using world = await openWorld();
    await toNoon(world);
    const browser = await openMember(world, { email });
    const overview = () => browser.call('GET /panel/accounts/:account_id/overview');
    world.provider.handler = (_request, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const ids = await Promise.all(Array.from({ length: 6 }, () => world.create()));
    const routeOf = async (id: string) => (await findJob(world.app.database.read, id))?.route;
    await eventually(
      async () => Promise.all(ids.map(routeOf)),
      (routes) => routes.filter((route) => route === 'nb2/test').length === 4,
    );
    for (const id of ids) assert.equal((await world.send('POST', `/jobs/${id}/cancel`)).status, 200);
    await Promise.all(ids.map((id) => world.finished(id)));
    assert.deepEqual((await overview()).problems, []);
    const stats = await readRouteStats(world.app.database.read, 0);
    assert.deepEqual([stats.get('nb2/test')?.failed, stats.get('nb2/test')?.lastError], [0, null]);

    world.provider.handler = async () => {
      throw new ProviderError('safety_blocked', 'It was refused.');
    };
    for (let made = 0; made < 5; made += 1) await world.finished(await world.create());
    const { problems, today } = await overview();
    assert.deepEqual(
      problems.map(({ text }) => text),
      ['5 of 5 jobs failed in the last 24 hours.'],
    );
    assert.deepEqual([today.jobs, today.failed, today.success_rate], [11, 5, 0]);
    assert.equal((await readRouteStats(world.app.database.read, 0)).get('nb2/test')?.failed, 5);
  });

  test('the overview counts today’s jobs, and says what is wrong', async () => {
    await using world = await openWorld();
    await toNoon(world);
    const browser = await openMember(world, { email });
    const empty = await browser.call('GET /panel/accounts/:account_id/overview');
    assert.deepEqual(empty.steps, {
      image_made: false,
      key_created: true,
      key_used: false,
      webhook_set: false,
    });
    assert.deepEqual([empty.today.success_rate, empty.hours.length, empty.problems], [null, 24, []]);
    await world.finished(await world.create());
    const overview = await browser.call('GET /panel/accounts/:account_id/overview');
    assert.deepEqual(
      [overview.today.jobs, overview.today.success_rate, overview.today.spent],
      [1, 1, '0.04'],
    );
    assert.equal(overview.latest_images.length, 1);
    assert.ok((overview.today.p50_ms ?? -1) >= 0);
  });
});

/** Inserts finished jobs of the last days, and makes the account's money match them. */
