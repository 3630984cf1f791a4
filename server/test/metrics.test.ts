import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { createMeter } from '../src/base/metrics/meter.ts';
import { toMetricText } from '../src/base/metrics/metric-text.ts';
import { until } from './faults/support/server.ts';
import { receiverNetwork, startReceiver } from './webhooks/support/receiver.ts';
import { openWorld, type World } from './world/world.ts';

async function samplesOf({ url }: World): Promise<Map<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

test('every stage of a job is counted: request, admission, claim, attempt, image, webhook, database', async () => {
  await using receiver = await startReceiver();
  await using world = await openWorld({ env: { DARKROOM_ALLOW_NETWORKS: receiverNetwork } });
  const jobId = await world.create('/nb2/text-generations', { callback_url: receiver.url });
  assert.equal((await world.finished(jobId)).status, 'done');
  await world.send('GET', '/jobs/0197f7a2-0000-7000-8000-0000000000a1');
  await receiver.got(1);
  const delivered = 'darkroom_delivery_attempts_total{outcome="delivered"}';
  // Repeated, because several readers within a second share one reading.
  // An attempt is counted before it is recorded.
  await until(async () => {
    const seen = await samplesOf(world);
    return seen.get(delivered) === 1 && seen.get('darkroom_deliveries_pending') === 0;
  });

  // A key is cached for a second, which may pass between any two requests on a slow machine.
  const looked = (samples: Map<string, number>, result: 'hit' | 'miss') =>
    samples.get(`darkroom_cache_requests_total{cache="keys",result="${result}"}`) ?? 0;
  await until(async () => {
    await world.balance();
    return looked(await samplesOf(world), 'hit') > 0;
  });

  const samples = await samplesOf(world);
  assert.ok(looked(samples, 'miss') > 0);
  const call = 'method="POST",call="/api/v1/:model/text-generations"';
  const attempt = 'model="nb2",route="nb2/test"';
  const one = [
    `darkroom_http_requests_total{${call},status="202"}`,
    `darkroom_http_request_seconds_count{${call}}`,
    'darkroom_http_requests_total{method="GET",call="/api/v1/jobs/:job_id",status="404"}',
    'darkroom_creates_total{outcome="admitted"}',
    'darkroom_admission_batch_creates_bucket{le="1"}',
    'darkroom_admission_seconds_count',
    `darkroom_jobs_claimed_total{${attempt}}`,
    `darkroom_attempts_total{${attempt},outcome="done"}`,
    `darkroom_attempt_seconds_count{${attempt}}`,
    'darkroom_images_stored_total{kind="results"}',
    'darkroom_delivery_lag_seconds_count',
    'darkroom_delivery_attempt_seconds_count',
    'darkroom_workers',
  ];
  assert.deepEqual(
    one.filter((name) => samples.get(name) !== 1),
    [],
  );
  for (const name of [
    'darkroom_images_stored_bytes_total{kind="results"}',
    'darkroom_database_seconds_count{kind="read"}',
    'darkroom_database_seconds_count{kind="transaction"}',
    'darkroom_claim_seconds_count',
    // Includes the mark in the store.
    'darkroom_store_seconds_count{operation="put",outcome="done"}',
    'nodejs_eventloop_lag_p99_seconds',
  ])
    assert.ok((samples.get(name) ?? 0) > 0, name);
  for (const name of [
    'darkroom_leases_lost_total',
    'darkroom_leases_expired_total',
    'darkroom_streams_open',
    'darkroom_long_polls_open',
    'darkroom_attempts_running',
    'darkroom_deliveries_pending',
    'darkroom_delivery_oldest_seconds',
    'darkroom_invariant_violations_total',
  ])
    assert.equal(samples.get(name), 0, name);
});

test('waiting requests are counted while they wait, and waiting jobs by their reason', async () => {
  await using world = await openWorld({ worker: false });
  const jobId = await world.create();
  const stop = new AbortController();
  const headers = { authorization: `Bearer ${world.key}` };
  const job = `${world.url}/api/v1/jobs/${jobId}`;
  const streams = [job, job].map((url) =>
    fetch(url, { headers: { ...headers, accept: 'text/event-stream' }, signal: stop.signal }),
  );
  for (const answer of await Promise.all(streams)) assert.equal(answer.status, 200);
  const poll = fetch(job, { headers: { ...headers, prefer: 'wait=30' }, signal: stop.signal });
  await until(async () => (await samplesOf(world)).get('darkroom_long_polls_open') === 1);
  const samples = await samplesOf(world);
  assert.equal(samples.get('darkroom_streams_open'), 2);
  assert.equal(samples.get('darkroom_jobs_held{model="nb2",reason="no_worker"}'), 1);
  stop.abort();
  await assert.rejects(poll);
  await until(async () => {
    const left = await samplesOf(world);
    return left.get('darkroom_streams_open') === 0 && left.get('darkroom_long_polls_open') === 0;
  });
  await world.send('DELETE', `/jobs/${jobId}`);
});

const program = 'promtool';
const skip = spawnSync(program, ['--version']).error !== undefined && 'NO promtool';
test('names, units and help follow Prometheus’ rules: promtool check metrics', { skip }, async () => {
  await using world = await openWorld();
  await world.finished(await world.create());
  const input = await (await fetch(`${world.url}/metrics`)).text();
  const { status, stdout, stderr } = spawnSync(program, ['check', 'metrics'], { input, encoding: 'utf8' });
  assert.deepEqual([status, stdout, stderr], [0, '', '']);
});

test('labels are quoted, buckets add up, and unlimited labels do not fill the memory', () => {
  const meter = createMeter();
  const named = meter.counter('said_total', 'What was said.', ['text']);
  named.add(['"a\\b\nc"']);
  const times = meter.histogram('took_seconds', 'How long.', ['of'], [1, 2]);
  for (const seconds of [0.5, 1, 1.5, 9]) times.observe(seconds, ['it']);
  assert.equal(
    toMetricText(meter.read()),
    `# HELP said_total What was said.
# TYPE said_total counter
said_total{text="\\"a\\\\b\\nc\\""} 1
# HELP took_seconds How long.
# TYPE took_seconds histogram
took_seconds_bucket{of="it",le="1"} 2
took_seconds_bucket{of="it",le="2"} 3
took_seconds_bucket{of="it",le="+Inf"} 4
took_seconds_sum{of="it"} 12
took_seconds_count{of="it"} 4
`,
  );
  for (let nth = 0; nth < 5_000; nth += 1) named.add([`text ${nth}`]);
  const lines = toMetricText(meter.read()).split('\n');
  assert.ok(lines.length < 1_100);
  assert.ok(lines.some((line) => /^said_total\{text="other"\} (3|4)\d\d\d$/.test(line)));
});
