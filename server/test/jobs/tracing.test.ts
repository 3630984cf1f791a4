import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openCircuit } from '../../src/jobs/routes/circuit-store.ts';
import { until } from '../faults/support/server.ts';
import { createRecordingLog } from '../http/support/recording-log.ts';
import { receiverNetwork, startReceiver } from '../webhooks/support/receiver.ts';
import { openOperator } from '../world/commands.ts';
import { TestProvider } from '../world/provider.ts';
import { openWorld, testRoutes, type World } from '../world/world.ts';

test('one request can be followed by its id through the lines of its request, its attempt and its delivery', async () => {
  await using receiver = await startReceiver();
  const log = createRecordingLog();
  await using world = await openWorld({
    env: { DARKROOM_ALLOW_NETWORKS: receiverNetwork },
    replacements: { log },
  });
  const created = await world.send('POST', '/nb2/text-generations', {
    body: { prompt: 'a fox', aspect_ratio: '1:1', callback_url: receiver.url },
  });
  const job_id = String(created.body.job_id);
  const lines = () => log.lines.filter((line) => line.includes(job_id));
  await until(async () => lines().some((line) => line.startsWith('delivery.attempted')));
  await world.send('GET', `/jobs/${job_id}`);
  await until(async () => lines().filter((line) => line.startsWith('request.finished')).length === 2);

  const fieldsOf = (event: string) => {
    const line = lines().find((one) => one.startsWith(`${event} `)) ?? '';
    const { request_id, account_id, key_id, job_id } = JSON.parse(line.slice(event.length));
    return { request_id, account_id, key_id, job_id };
  };
  const trace = fieldsOf('request.finished');
  assert.equal(trace.request_id, created.headers.get('x-request-id'));
  assert.equal(trace.account_id, world.accountId);
  const keys = world.app.database.read.selectFrom('api_keys').select('id');
  const key = await keys.where('account_id', '=', world.accountId).executeTakeFirst();
  assert.equal(trace.key_id, key?.id);
  assert.equal(trace.job_id, job_id);
  for (const event of ['attempt.finished', 'delivery.attempted'])
    assert.deepEqual(fieldsOf(event), trace, event);
});

function operatorOf({ config: { dataDir, databaseUrl } }: World) {
  return openOperator({ DARKROOM_DATA_DIR: dataDir, DATABASE_URL: databaseUrl });
}

test('status shows idle workers, counts running jobs as processing, and says why the others wait', async () => {
  const provider = new TestProvider();
  const release = Promise.withResolvers<void>();
  provider.handler = async (request) => {
    await release.promise;
    return provider.answer(request);
  };
  const routes = testRoutes(provider, { slots: 1 });
  await using world = await openWorld({ replacements: { routes } });
  await using operator = await operatorOf(world);
  await until(async () => (await operator.status()).workers.length === 1);
  const idle = await operator.status();
  assert.deepEqual([idle.workers[0]?.jobs, idle.waiting], [0, []]);

  const running = await world.create();
  const waiting = await world.create();
  await until(async () => (await operator.status()).processing === 1);
  const busy = await operator.status();
  assert.equal(busy.workers[0]?.jobs, 1);
  assert.deepEqual([busy.queued, busy.processing, busy.resting], [1, 1, 0]);

  await world.app.database.transaction((tx) =>
    openCircuit(tx, {
      route: 'nb2/sketch',
      state: 'open',
      openMs: 60_000,
      reason: 'unavailable',
      detail: null,
      failures: 5,
    }),
  );
  const { waiting: reasons, routes: shown } = await operator.status();
  const ill = shown.find(({ model }) => model === 'nb2');
  assert.equal(ill?.state, 'open');
  assert.match(
    reasons[0]?.reason ?? '',
    /^no route takes jobs before 20\S+Z \(nb2\/sketch: open, unavailable\)$/,
  );

  await operator.pause('nb2');
  assert.deepEqual((await operator.status()).waiting, [{ model: 'nb2', jobs: 1, reason: 'paused' }]);
  await operator.resume('nb2');
  release.resolve();
  for (const id of [running, waiting]) assert.equal((await world.finished(id)).status, 'done');
});

test('a stopped worker is not listed as running, and the lack of workers is why jobs wait', async () => {
  await using world = await openWorld({ worker: false });
  await using operator = await operatorOf(world);
  await world.create();
  const { workers, waiting } = await operator.status();
  assert.deepEqual(workers, []);
  assert.deepEqual(waiting, [{ model: 'nb2', jobs: 1, reason: 'no worker is running' }]);
});
