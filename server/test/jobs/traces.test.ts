import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { until } from '../faults/support/server.ts';
import { createRecordingLog } from '../http/support/recording-log.ts';
import { photo } from '../uploads/images.ts';
import { receiverNetwork, startReceiver } from '../webhooks/support/receiver.ts';
import { openWorld } from '../world/world.ts';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  status?: { code: number; message: string };
}

async function startCollector() {
  const spans: Span[] = [];
  const headers: Record<string, unknown>[] = [];
  const server = createServer(async (request, response) => {
    const { resourceSpans } = JSON.parse((await request.setEncoding('utf8').toArray()).join(''));
    assert.equal(`${request.method} ${request.url}`, 'POST /v1/traces');
    headers.push(request.headers);
    for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
    response.setHeader('content-type', 'application/json').end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return {
    url: `http://127.0.0.1:${address.port}`,
    spans,
    headers,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const traceId = '0af7651916cd43dd8448eb211c80319c';
const clientSpan = 'b7ad6b7169203331';
/** The largest gap between two parts on a busy machine. The database's times are whole milliseconds. */
const gapMs = 5_000;
const clockMs = 2;
/** How far the process’s monotonic clock may differ from the database’s. */
const driftMs = 1_500;

const startOf = (span: Span) => Number(BigInt(span.startTimeUnixNano) / 1000n) / 1000;
const endOf = (span: Span) => Number(BigInt(span.endTimeUnixNano) / 1000n) / 1000;

test('a create with an input and a webhook is one trace, from the client’s span to the receiver, whose parts add up', async () => {
  await using collector = await startCollector();
  await using receiver = await startReceiver();
  await using images = await startReceiver();
  images.answer = (response) => response.writeHead(200, { 'content-type': 'image/jpeg' }).end(photo);
  await using world = await openWorld({
    env: {
      DARKROOM_ALLOW_NETWORKS: receiverNetwork,
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20key',
    },
  });
  const created = await world.send('POST', '/nb2/url-generations', {
    headers: { traceparent: `00-${traceId}-${clientSpan}-01` },
    body: {
      prompt: 'a fox',
      aspect_ratio: '1:1',
      input_images_urls: [`${images.url}/a.jpg`],
      callback_url: receiver.url,
    },
  });
  assert.equal(created.status, 202, JSON.stringify(created.body));
  const jobId = String(created.body.job_id);
  assert.equal((await world.finished(jobId)).status, 'done');
  const [received] = await receiver.got(1);
  await until(async () => collector.spans.length === 7);

  const one = (name: string) => {
    const found = collector.spans.filter((span) => span.name === name);
    assert.equal(found.length, 1, name);
    return found[0] as Span; // one was found
  };
  const create = one('POST /api/v1/nb2/url-generations');
  const attempt = one('attempt');
  assert.equal(create.parentSpanId, clientSpan);
  for (const name of ['take inputs', 'queue', 'attempt', 'webhook'])
    assert.equal(one(name).parentSpanId, create.spanId, name);
  for (const name of ['upstream call', 'storage']) assert.equal(one(name).parentSpanId, attempt.spanId, name);
  for (const span of collector.spans) {
    assert.equal(span.traceId, traceId);
    assert.ok(BigInt(span.startTimeUnixNano) <= BigInt(span.endTimeUnixNano), span.name);
    assert.equal(span.status, undefined, span.name);
  }
  const within = (name: string, whole: Span) => {
    assert.ok(startOf(one(name)) >= startOf(whole) && endOf(one(name)) <= endOf(whole), name);
  };
  within('take inputs', create);
  for (const name of ['upstream call', 'storage']) within(name, attempt);
  // One span after the other, without an unexplained gap.
  const [queue, hook] = [one('queue'), one('webhook')];
  const follows = (later: Span, earlier: Span, why: string, earlyMs = driftMs) => {
    const gap = startOf(later) - endOf(earlier);
    assert.ok(gap >= -earlyMs && gap < gapMs, `${why}: ${gap} ms`);
  };
  follows(queue, one('take inputs'), 'queued once the inputs are there');
  follows(attempt, queue, 'attempted once it is claimed');
  assert.ok(startOf(one('storage')) >= endOf(one('upstream call')), 'stored once it is made');
  follows(hook, attempt, 'told once it is done', clockMs);
  const parts = [one('take inputs'), queue, attempt, hook].reduce(
    (sum, span) => sum + endOf(span) - startOf(span),
    0,
  );
  const whole = endOf(hook) - startOf(create);
  assert.ok(Math.abs(whole - parts) < 3 * gapMs, `the parts take ${parts} ms of ${whole}`);
  assert.equal(received?.headers.traceparent, `00-${traceId}-${hook.spanId}-01`);
  assert.equal(created.headers.get('x-request-id'), `req_${traceId}${create.spanId}`);
  assert.equal(collector.headers[0]?.['api-key'], 'a key');
  assert.doesNotMatch(JSON.stringify(collector.spans), /a fox/);
});

test('a trace begins here if the client began none; one that the client does not record is not recorded here either', async () => {
  await using collector = await startCollector();
  await using world = await openWorld({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, worker: false });
  const send = (traceparent?: string) =>
    world.send('POST', '/nb2/text-generations', {
      ...(traceparent !== undefined && { headers: { traceparent } }),
      body: { prompt: 'a fox', aspect_ratio: '1:1' },
    });
  for (const broken of [undefined, 'nonsense', `00-${'0'.repeat(32)}-${clientSpan}-01`])
    assert.equal((await send(broken)).status, 202);
  const unsampled = await send(`00-${traceId}-${clientSpan}-00`);
  assert.equal(unsampled.status, 202);
  assert.doesNotMatch(unsampled.headers.get('x-request-id') ?? '', /^req_[\da-f]{48}$/);
  await world.send('GET', '/balance');
  await until(async () => collector.spans.length === 3);
  assert.equal(new Set(collector.spans.map((span) => span.traceId)).size, 3);
  assert.ok(collector.spans.every(({ parentSpanId }) => parentSpanId === undefined));
});

test('of requests that begin a trace, only a share is traced, and of those with a client’s trace, all', async () => {
  await using collector = await startCollector();
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  };
  await using world = await openWorld({ env, worker: false });
  const body = { prompt: 'a fox', aspect_ratio: '1:1' };
  const untraced = await world.send('POST', '/nb2/text-generations', { body });
  assert.doesNotMatch(untraced.headers.get('x-request-id') ?? '', /^req_[\da-f]{48}$/);
  const headers = { traceparent: `00-${traceId}-${clientSpan}-01` };
  assert.equal((await world.send('POST', '/nb2/text-generations', { body, headers })).status, 202);
  await until(async () => collector.spans.length > 0);
  assert.deepEqual([collector.spans.length, collector.spans[0]?.traceId], [1, traceId]);
  for (const wrong of [{ OTEL_TRACES_SAMPLER: 'always_off' }, { OTEL_TRACES_SAMPLER_ARG: 'a tenth' }])
    assert.throws(() => readConfig({ ...env, ...wrong }), /OTEL_TRACES_SAMPLER(_ARG)? is ".+"; it must be/);
});

test('a collector that is down delays nothing, and is reported once', async () => {
  const log = createRecordingLog();
  await using world = await openWorld({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
    replacements: { log },
  });
  assert.equal((await world.finished(await world.create())).status, 'done');
  await until(async () => log.lines.some((line) => line.startsWith('traces.not_sent')));
  assert.equal((await world.finished(await world.create())).status, 'done');
});
