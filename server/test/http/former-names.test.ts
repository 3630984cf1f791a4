import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeCursor } from '../../src/base/http/cursor.ts';
import { createListCursors } from '../../src/base/http/list-cursors.ts';
import { openOpaqueKey } from '../../src/config/opaque-key.ts';
import { adminSender, makeAdminKey } from '../admin/admin-client.ts';
import { openWorld } from '../world/world.ts';
import { assertProblem } from './support/refusal.ts';

test('list parameters are accepted by their names of 0.1.0, but not by both names at once', async () => {
  await using world = await openWorld();
  const { key } = await makeAdminKey(world, 'shop', ['accounts']);
  const admin = adminSender(world, key);
  const jobId = await world.create();
  await world.finished(jobId);
  await world.create('/nb2/text-generations', { prompt: 'a second one' }).then(world.finished);
  const first = (await world.send('GET', '/events')).body as { next_cursor: string };
  const page = (await world.send('GET', '/jobs?limit=1')).body as { next_cursor: string };

  const [byStatus, job, events, accounts] = await Promise.all([
    world.send('GET', '/usage?by=status'),
    world.send('GET', `/jobs?search=${jobId.slice(0, 20)}`),
    world.send('GET', `/events?after=${first.next_cursor}`),
    admin('GET', '/accounts?search=nobody'),
  ]);
  assert.deepEqual(
    [byStatus.body.group_by, byStatus.body.by],
    ['status', 'status'],
    'programs read it by either',
  );
  const headers = { authorization: `Bearer ${world.key}` };
  assert.equal((await fetch(`${world.url}/api/v1/usage.csv?by=status`, { headers })).status, 200);
  assert.deepEqual(
    (job.body.data as { job_id: string }[]).map(({ job_id }) => job_id),
    [jobId],
  );
  assert.deepEqual([events.status, events.body.data], [200, []]);
  assert.deepEqual([accounts.status, accounts.body.data], [200, []]);
  for (const query of [
    '/usage?by=key&group_by=key',
    '/usage?by=key&by=key',
    `/jobs?search=${jobId}&id=${jobId}`,
    `/events?after=${first.next_cursor}&cursor=${first.next_cursor}`,
    `/jobs?after=${page.next_cursor}`,
    '/entries?by=key',
  ])
    assertProblem(await world.send('GET', query), 422, 'invalid_request');
});

test('a filtered list’s cursor continues with both names of the filter, even a cursor from before the renaming', async () => {
  await using world = await openWorld();
  const jobs = [await world.create(), await world.create()];
  await world.account('newest');
  const { key } = await makeAdminKey(world, 'shop', ['accounts']);
  const cursors = createListCursors(await openOpaqueKey(world.app.database));
  for (const { send, path, owner, id, today, wanted } of [
    {
      ...{ send: world.send, path: '/api/v1/jobs', owner: world.accountId },
      ...{ id: 'job_id', today: 'id', wanted: jobs[0]?.slice(0, 6) },
    },
    {
      ...{ send: adminSender(world, key), path: '/admin/v1/accounts', owner: null },
      ...{ id: 'account_id', today: 'q', wanted: 'est' },
    },
  ]) {
    const read = async (query: string) => {
      const { status, body } = await send('GET', `${path.slice(path.lastIndexOf('/'))}?${query}`);
      const ids = ((body.data ?? []) as Record<string, string>[]).map((one) => one[id] ?? '');
      return { status, ids, next: body.next_cursor };
    };
    const [first = '', second = ''] = (await read(`search=${wanted}`)).ids;
    const { next } = await read(`search=${wanted}&limit=1`);
    const position = writeCursor([first]);
    const list = JSON.stringify(['GET', path, owner, [], [['search', wanted]]]);
    for (const cursor of [next, cursors.seal(position, list), position])
      for (const name of ['search', today])
        assert.deepEqual((await read(`${name}=${wanted}&cursor=${cursor}`)).ids, [second], `${path} ${name}`);
    for (const other of [`${today}=0000`, 'limit=1'])
      assert.equal((await read(`${other}&cursor=${cursors.seal(position, list)}`)).status, 422, other);
  }
});
