import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientOf, createJob, eachOf, finished, refusedPrompt } from './support/client.ts';
import { openInstallation } from './support/installation.ts';

const jobs = 60;

test('two processes that do everything on one SQLite file share its jobs: each ends once, nothing is lost', async () => {
  await using place = await openInstallation(undefined);
  const { key, accountId } = await place.account(10_000_000n);
  const servers = await Promise.all([place.start('all'), place.start('all')]);
  const clients = servers.map((server) => clientOf(server, key));
  await eachOf(Array(jobs).keys(), 8, async (index) => {
    const [creator, waiter] = index % 2 ? clients : clients.toReversed();
    assert.ok(creator && waiter);
    // Two of the jobs make an image; the others fail and cost nothing.
    const job = await finished(waiter, await createJob(creator, index < 2 ? 'a fox' : refusedPrompt));
    assert.equal(job.status, index < 2 ? 'done' : 'failed');
  });
  const entries = await place.database.read
    .selectFrom('entries')
    .select('kind')
    .where('account_id', '=', accountId)
    .execute();
  const kinds = Map.groupBy(entries, ({ kind }) => kind);
  assert.equal(kinds.get('reserve')?.length, jobs);
  assert.equal(kinds.get('capture')?.length, 2);
  assert.equal(kinds.get('release')?.length, jobs - 2);
  for (const server of servers) server.signal('SIGTERM');
  for (const server of servers) assert.equal((await server.ended).code, 0);
});
