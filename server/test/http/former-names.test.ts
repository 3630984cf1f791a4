import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adminSender, makeAdminKey } from '../admin/admin-client.ts';
import { openWorld } from '../world/world.ts';
import { assertProblem } from './support/refusal.ts';

test('parameters of lists are accepted by the names of 0.1.0, and never by both', async () => {
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
