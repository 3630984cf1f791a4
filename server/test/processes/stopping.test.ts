import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDatabase } from '../world/databases.ts';
import { clientOf, createJob, textPath } from './support/client.ts';
import { openInstallation } from './support/installation.ts';

test('SIGTERM lets the running job end, answers clients that wait for it, and exits 0', async () => {
  await using place = await openInstallation(await createDatabase());
  const { key } = await place.account(1_000_000n);
  const server = await place.start('all');
  const client = clientOf(server, key);
  const jobId = await createJob(client, '[[delay:3s]] a fox [[fail:safety_blocked]]');
  while ((await client('GET', `/jobs/${jobId}`)).body.status === 'queued');
  const waiting = client('GET', `/jobs/${jobId}`, { headers: { prefer: 'wait=30' } });
  // A request still in transit would be refused. Later requests have been answered, so this one has arrived.
  for (let index = 0; index < 3; index++) await client('GET', '/balance');
  server.signal('SIGTERM');
  assert.equal((await waiting).status, 200);
  const { code, signal, stderr } = await server.ended;
  assert.deepEqual({ code, signal, stderr }, { code: 0, signal: null, stderr: '' });
  assert.deepEqual(await place.readJob(jobId), { status: 'failed', attempt: 1 });
});

test('SIGTERM during creates: every answered create exists, and the next process runs its job', async () => {
  await using place = await openInstallation(await createDatabase());
  const { key } = await place.account(100_000_000n);
  const server = await place.start('api');
  const client = clientOf(server, key);
  const accepted = new Set<string>();
  let isOver = false;
  const creating = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      const body = { prompt: 'a fox [[fail:safety_blocked]]', aspect_ratio: '1:1' };
      const reply = await client('POST', textPath, { body }).catch(() => undefined);
      if (!reply || reply.status === 503) return; // the server is going down
      assert.equal(reply.status, 202);
      accepted.add(String(reply.body.job_id));
      if (accepted.size === 20) server.signal('SIGTERM');
    }
  });
  assert.equal((await server.ended).code, 0);
  isOver = true;
  await Promise.all(creating);
  assert.ok(accepted.size >= 20);

  await using _worker = await place.start('worker');
  for (;;) {
    const rows = await place.database.read.selectFrom('jobs').select(['id', 'status']).execute();
    const open = rows.filter(({ status }) => status !== 'failed');
    if (open.length > 0) continue;
    assert.deepEqual(
      [...accepted].filter((id) => !rows.some((row) => row.id === id)),
      [],
    );
    break;
  }
});
