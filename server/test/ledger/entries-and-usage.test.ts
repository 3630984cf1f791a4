import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toNoon } from '../world/to-noon.ts';
import { openWorld } from '../world/world.ts';

interface Entry {
  entry_id: string;
  kind: string;
  balance_after: string | null;
  reserved_after: string | null;
  job_id: string | null;
}

test('entries show every change of the balance, in pages that continue where the last one ended', async () => {
  await using world = await openWorld();
  const job_id = await world.create();
  await world.finished(job_id);
  const read = async (query: string) =>
    (await world.send('GET', `/entries${query}`)).body as unknown as {
      data: Entry[];
      next_cursor: string | null;
    };
  const all = await read('');
  assert.deepEqual(
    all.data.map(({ kind, balance_after, reserved_after, job_id }) => [
      kind,
      balance_after,
      reserved_after,
      job_id,
    ]),
    [
      ['capture', '99.96', '0.00', job_id],
      ['reserve', '100.00', '0.04', job_id],
      ['credit', '100.00', '0.00', null],
    ],
  );
  const first = await read('?limit=2');
  const second = await read(`?limit=2&cursor=${first.next_cursor}`);
  assert.deepEqual([...first.data, ...second.data], all.data);
  assert.equal(second.next_cursor, null);
  const credits = await read('?kind=credit');
  assert.deepEqual(
    credits.data.map(({ kind, balance_after }) => [kind, balance_after]),
    [['credit', null]],
  );
  const other = await world.account('other');
  const headers = { authorization: `Bearer ${other.key}` };
  assert.deepEqual((await world.send('GET', '/entries', { headers })).body, { data: [], next_cursor: null });
  assert.equal((await world.send('GET', '/entries?cursor=x')).status, 422);
});

test('usage counts jobs and cost per day, by model or by key', async () => {
  await using world = await openWorld();
  await toNoon(world);
  await world.finished(await world.create());
  const today = new Date(world.clock.nowMs()).toISOString().slice(0, 10);
  const { body } = await world.send('GET', `/usage?from=${today}&group_by=model`);
  assert.deepEqual(body.total, { cost: '0.04', jobs: 1, done: 1, failed: 0 });
  assert.deepEqual(body.series, [{ id: 'nb2', name: 'Higher quality', cost: '0.04', jobs: 1 }]);
  assert.equal((body.days as { day: string }[]).at(-1)?.day, today);
  assert.equal(((await world.send('GET', '/usage')).body.days as unknown[]).length, 30);
  for (const query of ['?from=2026-02-30', '?from=2020-01-01', '?group_by=day', '?from=tomorrow'])
    assert.equal((await world.send('GET', `/usage${query}`)).status, 422, query);
  const long = await world.send('GET', '/usage?from=0001-01-01&to=0001-02-01');
  assert.deepEqual([long.status, long.body.series], [200, []]);
});
