import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { rollUp } from '../../src/jobs/activity/roll-up.ts';
import { openCircuit } from '../../src/jobs/routes/circuit-store.ts';
import { ProviderError } from '../../src/upstream/providers/provider.ts';
import type { PublicStatus } from '../../src/web/api/nouns/public-status/public-status.ts';
import { openAdministration } from '../admin/admin-client.ts';
import { stepAtOnce } from '../world/expire.ts';
import { TestProvider } from '../world/provider.ts';
import { toNoon } from '../world/to-noon.ts';
import { openWorld, testRoutes } from '../world/world.ts';

const provider = new TestProvider();
const spare = { id: 'nb2/spare', model: 'nb2', provider, slots: 4, timeoutMs: 30_000 };
const replacements = { routes: [...testRoutes(provider), spare] };
const world = await openWorld({ config: { statusPage: true }, replacements });
after(() => world[Symbol.asyncDispose]());
const admin = await openAdministration(world);
await toNoon(world);

const keptMs = 15_000;
const dayMs = 86_400_000;

async function read(): Promise<PublicStatus> {
  await world.elapse(keptMs);
  const response = await fetch(`${world.url}/status.json`);
  assert.equal(response.headers.get('cache-control'), 'public, max-age=15');
  return (await response.json()) as PublicStatus;
}

async function modelOf(id: string) {
  const model = (await read()).models.find((one) => one.id === id);
  assert.ok(model, `there is no ${id}`);
  return model;
}

const page = async (path = '/status') => (await fetch(`${world.url}${path}`)).text();
const count = () => rollUp(world.app.database, stepAtOnce(world.app.database));

async function open(route: string): Promise<void> {
  const opening = {
    state: 'open',
    openMs: 3_600_000,
    reason: 'unavailable',
    detail: null,
    failures: 1,
  } as const;
  await world.app.database.transaction((tx) => openCircuit(tx, { route, ...opening }));
}

async function make(count: number, model = 'nb'): Promise<void> {
  for (let left = count; left > 0; left -= 1)
    await world.finished(await world.create(`/${model}/text-generations`));
}

test('there is no status page unless the installation turns it on', async () => {
  await using closed = await openWorld({ worker: false });
  for (const path of ['/status', '/status.json', '/status.atom'])
    assert.equal((await fetch(`${closed.url}${path}`)).status, 404, path);
});

test('a model is up, slow if one of its routes takes no jobs, down if none does, or paused', async () => {
  const first = await read();
  assert.deepEqual([first.state, first.models.map(({ state }) => state)], ['up', ['up', 'up', 'up']]);
  assert.deepEqual(first.models[0]?.days.length, 90);
  await open('nb2/test');
  assert.equal((await modelOf('nb2')).state, 'slow');
  await open('nb2/spare');
  const { state, models } = await read();
  assert.deepEqual([state, models.map((one) => one.state)], ['down', ['up', 'down', 'up']]);
  assert.match(await page(), /<h1 class="down">/);
  await admin().pause('nb2', { reason: 'A <new> machine' });
  assert.equal((await modelOf('nb2')).state, 'paused');
  await admin().resume('nb2');
  await world.elapse(3_600_000);
  assert.equal((await modelOf('nb2')).state, 'up', 'the next job probes the route');
});

test('for few jobs no availability is shown, because they could be counted by it', async () => {
  await make(4, 'pro');
  await count();
  const few = await modelOf('pro');
  assert.deepEqual([few.availability, few.days.at(-1)?.availability], [null, null]);
  assert.match(await page(), /Too few jobs/);
  await make(1, 'pro');
  await count();
  const enough = await modelOf('pro');
  assert.deepEqual([enough.availability, enough.days.at(-1)?.availability], [100, 100]);
});

test('outcomes decide the availability of a day, and failures caused by requests do not count', async () => {
  await make(5);
  provider.handler = async () => {
    throw new ProviderError('safety_blocked', 'No.');
  };
  await make(5);
  await count();
  const good = await modelOf('nb');
  assert.deepEqual(
    [good.availability, good.days.at(-1)?.state, good.days.at(-1)?.availability],
    [100, 'up', 100],
  );
  assert.deepEqual([good.days.at(-2)?.state, good.days.at(-2)?.availability], [null, null]);

  provider.handler = async () => {
    throw new ProviderError('unsupported', 'No.');
  };
  await world.elapse(dayMs);
  await make(6);
  await count();
  assert.equal((await modelOf('nb')).state, 'slow', 'what fails for one account alone may be its own');
  const other = await world.account('other', { creditMicros: 1_000_000n });
  const ofOther = { authorization: `Bearer ${other.key}` };
  await world.finished(await world.create('/nb/text-generations', {}, ofOther), other.key);
  provider.handler = async (request) => provider.answer(request);
  await count();
  const bad = await modelOf('nb');
  assert.deepEqual(
    bad.days.slice(-2).map((day) => [day.state, day.availability]),
    [
      ['up', 100],
      ['down', 0],
    ],
  );
  assert.deepEqual([bad.state, bad.availability], ['down', 41.66]);
  await world.elapse(3 * dayMs);
  const later = await modelOf('nb');
  assert.deepEqual([later.state, later.days.at(-4)?.state, later.days.at(-5)?.state], ['up', 'down', 'up']);

  // The effect of the previous day's jobs that have ended since.
  await world.app.database.transaction((tx) =>
    tx
      .updateTable('activity')
      .set(({ eb }) => ({ slot: eb('slot', '-', 1) }))
      .where('slot_ms', '=', dayMs)
      .where('status', '=', 'failed')
      .execute(),
  );
  const ofThatDay = async () =>
    (await modelOf('nb')).days.find(({ date }) => date === later.days.at(-5)?.date)?.availability;
  assert.equal(await ofThatDay(), 100, 'it is counted once an hour');
  await world.elapse(3_600_000);
  assert.equal(await ofThatDay(), 41.66);
});

test('pauses are incidents with their reason, on the page, as JSON and in the feed, even when they are over', async () => {
  await admin().pause('project', { reason: 'The <database> moves', for: 600 });
  await admin().pause('project', { reason: 'The <database> moved late' });
  await admin().pause(world.accountId, { reason: 'A secret between us' });
  await admin().resume(world.accountId);
  const { incidents, models } = await read();
  const [incident] = incidents;
  assert.deepEqual(
    [incident?.model, incident?.title, incident?.reason, incident?.ended_at],
    [null, 'Everything is paused', 'The <database> moved late', null],
  );
  assert.ok(models.every((one) => one.state === 'paused' && one.days.at(-1)?.state === 'paused'));
  assert.match(await page(), /The &lt;database&gt; moved late/);
  const feed = await page('/status.atom');
  assert.match(feed, new RegExp(`<id>urn:uuid:${incident?.incident_id}</id>`));
  assert.match(feed, /<content type="text">The &lt;database&gt; moved late Since 20/);

  await admin().resume('project');
  await admin().pause('nb', { reason: 'Short', for: 60 });
  await world.elapse(61_000);
  const [short, moved, older] = (await read()).incidents;
  assert.deepEqual(
    [short?.title, short?.ended_at, moved?.title, older?.reason],
    ['Fast was paused', short?.until, 'Everything was paused', 'A <new> machine'],
  );
  assert.ok(moved?.ended_at);
  await admin().resume('nb');
  for (const path of ['/status', '/status.json', '/status.atom'])
    assert.ok(!(await page(path)).includes('secret'), path);
});

test('a pause is an incident of its own while another one is in force', async () => {
  await admin().pause('project', { reason: 'Everything' });
  await admin().pause('pro', { reason: 'Only Pro' });
  const [one, other] = (await read()).incidents;
  assert.deepEqual(new Set([one?.reason, other?.reason]), new Set(['Everything', 'Only Pro']));
  for (const scope of ['pro', 'project']) await admin().resume(scope);
});

test('two operators who pause the same model at once make one incident', async () => {
  const before = new Set((await read()).incidents.map(({ incident_id: id }) => id));
  for (let round = 0; round < 5; round += 1) {
    await Promise.all([1, 2, 3].map((one) => admin().pause('pro', { reason: `Operator ${one}` })));
    await admin().resume('pro');
  }
  const made = (await read()).incidents.filter(({ incident_id: id }) => !before.has(id));
  assert.equal(made.length, 5);
  assert.ok(made.every(({ ended_at }) => ended_at !== null));
});

test('a reason with characters that XML forbids leaves the feed well-formed', async () => {
  await admin().pause('nb', { reason: 'Bell\u0007 and \uffff, \ttab and 🦊' });
  assert.ok((await read()).incidents.length > 0);
  const feed = await page('/status.atom');
  assert.ok(feed.includes('Bell\ufffd and \ufffd, \ttab and 🦊'), feed);
  await admin().resume('nb');
});

test('an incident is shown for 90 days after its end, even if it ended by itself', async () => {
  await admin().pause('nb', { reason: 'By itself', for: 60 });
  const has = async () => (await read()).incidents.some(({ reason }) => reason === 'By itself');
  await world.elapse(89 * dayMs);
  assert.ok(await has());
  await world.elapse(2 * dayMs);
  assert.ok(!(await has()));
  await admin().resume('nb');
});

test('nothing is shown about providers, accounts and prices', async () => {
  await open('nb2/test');
  for (const path of ['/status', '/status.json', '/status.atom']) {
    await world.elapse(keptMs);
    const text = await page(path);
    for (const secret of ['nb2/test', 'nb2/spare', 'test-1', 'unavailable', world.accountId, '0.04'])
      assert.ok(!text.includes(secret), `${secret} in ${path}`);
  }
});
