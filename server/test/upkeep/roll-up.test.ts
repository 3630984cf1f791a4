import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { rollUp } from '../../src/jobs/activity/roll-up.ts';
import { countNext } from '../../src/jobs/activity/roll-up-store.ts';
import { findViolations } from '../../src/jobs/upkeep/verify/find-violations.ts';
import { expire, stepAtOnce } from '../world/expire.ts';
import { openWorld, type World } from '../world/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ worker: true });
});
after(() => world[Symbol.asyncDispose]());

const usage = async (by: 'model' | 'key') => (await world.send('GET', `/usage?group_by=${by}`)).body;
const doneJobs = async () => ((await usage('model')).total as { done: number }).done;
const count = () => rollUp(world.app.database, stepAtOnce(world.app.database));

test('counted, newly ended and unfinished jobs give the same usage, whenever it is read', async () => {
  await world.finished(await world.create());
  const before = [await usage('model'), await usage('key')];
  assert.equal(await doneJobs(), 1);
  await count();
  assert.deepEqual([await usage('model'), await usage('key')], before, 'after the count');
  await world.finished(await world.create('/nb2/text-generations', { prompt: 'a fox' }));
  const later = [await usage('model'), await usage('key')];
  assert.equal(await doneJobs(), 2, 'one counted, one not yet');
  await count();
  await count();
  assert.deepEqual([await usage('model'), await usage('key')], later, 'counting again changes nothing');
});

test('retention removes jobs and keeps their costs', async () => {
  await world.finished(await world.create());
  const before = [await usage('model'), await usage('key')];
  await expire(world.app, -1);
  const { rows } = await sql<{ jobs: number }>`select count(*) as jobs from jobs`.execute(
    world.app.database.read,
  );
  assert.equal(rows[0]?.jobs, 0);
  assert.deepEqual([await usage('model'), await usage('key')], before);
});

test('two processes that count at once count everything once', async () => {
  const { database } = world.app;
  // Repeated, because the server counts every 15 seconds, and may have been first.
  for (let counts = [0]; counts.every((entries) => entries === 0); ) {
    const jobs = await Promise.all(Array.from({ length: 6 }, () => world.create()));
    await Promise.all(jobs.map((job) => world.finished(job)));
    counts = await Promise.all(
      Array.from({ length: 8 }, () => database.transaction((tx) => countNext(tx, world.accountId, 5))),
    );
  }
  await count();
  assert.deepEqual(await findViolations(database.read), []);
});

test('a day that does not add up to the ledger is a violation', async () => {
  await world.finished(await world.create());
  await count();
  const { database } = world.app;
  const change = (by: number) =>
    database.transaction((tx) =>
      sql`update activity set price_micros = price_micros + ${by} where slot_ms = 86400000 and status = 'done'`.execute(
        tx,
      ),
    );
  await change(1);
  const violations = await findViolations(database.read);
  await change(-1);
  assert.deepEqual(
    violations.map(({ invariant }) => invariant),
    ['I13'],
  );
});

test('margins whose revenue differs from the captures are a violation, even on an impossible day', async () => {
  await world.finished(await world.create());
  await count();
  const { database } = world.app;
  const change = (by: number) =>
    database.transaction((tx) =>
      sql`insert into margins (day, account_id, key_id, model, route, provider, images, revenue_micros, cost_micros,
          wasted_micros, uncosted, unknown, possible_micros)
        values (1, ${world.accountId}, ${world.accountId}, 'nb2', '', '', 0, ${by}, 0, 0, 0, 0, 0)
        on conflict (day, account_id, key_id, model, route, provider)
        do update set revenue_micros = margins.revenue_micros + excluded.revenue_micros`.execute(tx),
    );
  await change(1);
  const violations = await findViolations(database.read);
  await change(-1);
  assert.deepEqual(
    violations.map(({ invariant }) => invariant),
    ['I14'],
  );
  assert.deepEqual(await findViolations(database.read), []);
});
