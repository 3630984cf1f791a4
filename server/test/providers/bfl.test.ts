import assert from 'node:assert/strict';
import { it } from 'node:test';
import { commonRatios, pixels } from '../../src/upstream/catalog/models.ts';
import { createBfl } from '../../src/upstream/providers/bfl/bfl.ts';
import { bflKey, bflReplies, startBfl } from '../emulators/bfl.ts';
import { sampleImage } from '../emulators/sample-image.ts';
import { modelOf } from '../routes/support.ts';
import { conforms, type FailureRow } from './conformance.ts';
import { closing, costOf, failureOf, guard, input, inputs, request, run } from './requests.ts';

const { detail, invalid, task } = bflReplies;
const ended = (status: string, more?: object) => ({ stage: 'status', reply: task('x', status, more) });

const rows: FailureRow[] = [
  { name: 'submit: 402', reply: detail(402, 'Insufficient credits'), kind: 'quota', closes: 'quota' },
  { name: 'submit: 403', reply: detail(403, 'Not authenticated'), kind: 'auth', closes: 'auth' },
  { name: 'submit: 404', reply: detail(404, 'Not Found'), kind: 'model_not_found' },
  { name: 'submit: 422', reply: invalid('/prompt', 'Field required'), kind: 'invalid_input' },
  {
    name: 'submit: 429',
    reply: detail(429, 'Rate limit exceeded', { 'retry-after': '4' }),
    kind: 'rate_limited',
    closes: 'rate_limited',
    retryAfterMs: 4000,
  },
  {
    name: 'submit: 503',
    reply: detail(503, 'Service unavailable'),
    kind: 'unavailable',
    closes: 'unavailable',
  },
  { name: 'submit: an answer without an address', reply: { body: { id: 'x' } }, kind: 'bad_response' },
  {
    name: 'submit: an address elsewhere',
    reply: { body: { id: 'x', polling_url: 'https://bfl.ai.example.com/v1/get_result?id=x' } },
    kind: 'bad_response',
  },
  {
    name: 'a prompt or input that is moderated',
    ...ended('Request Moderated', { details: { 'Moderation Reasons': ['Violence'] } }),
    kind: 'safety_blocked',
  },
  { name: 'a result that is moderated', ...ended('Content Moderated'), kind: 'safety_blocked' },
  { name: 'a task that failed', ...ended('Error', { details: { error: 'x' } }), kind: 'bad_response' },
  { name: 'a task that is forgotten', ...ended('Task not found'), kind: 'unavailable' },
  { name: 'ready without a sample', ...ended('Ready', { result: {} }), kind: 'no_image' },
  {
    name: 'a link that has expired',
    stage: 'file',
    reply: { status: 403, body: 'AuthenticationFailed: Signature not valid in the specified time frame' },
    kind: 'bad_response',
  },
];

const models = [
  'flux-3-image',
  'flux-2-pro',
  'flux-2-klein-9b',
  'flux-kontext-max',
  'flux-pro-1.1',
  'flux-pro-1.1-ultra',
];
const open = async (model: string) => {
  const emulator = await startBfl();
  const settings = { model, baseUrl: `${emulator.url}/v1`, pollMs: 10 };
  return closing({ provider: createBfl(settings, { apiKey: bflKey }, guard), emulator });
};

for (const model of models) {
  conforms({
    name: `bfl with ${model}`,
    open: () => open(model),
    rows,
    secret: bflKey,
    stages: { make: 'submit', look: 'status', file: 'file', check: 'credits' },
    cannotCancel: true,
  });
}

it('bfl polls the address in the answer, and keeps it with the cost as the request’s id', async () => {
  await using bench = await open('flux-kontext-pro');
  const told: string[] = [];
  const onSubmitted = async (id: string) => void told.push(id);
  await bench.provider.generate(
    request({ aspectRatio: '16:9', inputs: await inputs(2) }),
    run({ onSubmitted }),
  );
  const [id] = bench.emulator.accepted;
  assert.deepEqual(told, [`${bench.emulator.url}/region/v1/get_result?id=${id}#credits=3`]);
  const [submitted] = bench.emulator.of('submit');
  const {
    aspect_ratio: ratio,
    input_image: first,
    input_image_2: second,
    ...rest
  } = Object(submitted?.json());
  assert.equal(ratio, '16:9');
  assert.deepEqual(rest, { prompt: 'a red fox', output_format: 'png' });
  for (const image of [first, second]) assert.doesNotMatch(image, /^data:/);
});

it('bfl waits for a task in an unknown state until the time is over, and can resume it', async () => {
  await using bench = await open('flux-2-pro');
  bench.emulator.always('status', task('x', 'Contemplating'));
  const late = new AbortController();
  const waiting = failureOf(bench.provider.generate(request(), run({ signal: late.signal })));
  for (let looks = 0; looks < 3; looks += 1) await Promise.race([bench.emulator.arrived('status'), waiting]);
  late.abort(new DOMException('late', 'TimeoutError'));
  const error = await waiting;
  assert.deepEqual([error.kind, error.resumable], ['timeout', true]);
  assert.equal(bench.emulator.accepted.length, 1);
});

it('bfl sends FLUX 3 its own form of request: a list of images, a ratio and the name of a resolution', async () => {
  await using bench = await open('flux-3-image');
  const wanted = { aspectRatio: '16:9', resolution: '4K', inputs: await inputs(2) };
  await bench.provider.generate(request({ ...wanted, fields: { grounding: false } }), run());
  const { images, ...rest } = Object(bench.emulator.of('submit')[0]?.json());
  assert.deepEqual(rest, {
    prompt: 'a red fox',
    aspect_ratio: '16:9',
    resolution: '4k',
    grounding: false,
  });
  assert.equal(images.length, 2);
  assert.ok(!bench.provider.takesField('images') && !bench.provider.takesField('resolution'));
});

it('bfl sends its key to no other server', async () => {
  await using bench = await open('flux-2-pro');
  await using elsewhere = await startBfl();
  const polling_url = `${elsewhere.url}/region/v1/get_result?id=x`;
  bench.emulator.always('submit', { body: { id: 'x', polling_url } });
  await failureOf(bench.provider.generate(request(), run()));
  const kept = await failureOf(bench.provider.generate(request(), run({ remoteId: polling_url })));
  assert.deepEqual([kept.kind, kept.resumable, kept.sent], ['unavailable', false, true]);
  assert.equal(elsewhere.requests.length, 0);
});

it('bfl reports an image’s cost, and ignores an impossible amount', async () => {
  await using bench = await open('flux-2-pro');
  const told: string[] = [];
  const onSubmitted = async (id: string) => void told.push(id);
  const make = (more = {}) => costOf(bench.provider, { onSubmitted, ...more });
  assert.equal(await make(), 30_000n);
  assert.equal(await make({ remoteId: told[0] }), 30_000n, 'the id has it for a later attempt');
  const polling_url = told[0]?.split('#')[0];
  for (const cost of [-1, 1e9, '3', null]) {
    bench.emulator.always('submit', { body: { id: 'x', polling_url, cost } });
    assert.equal(await make(), undefined);
    assert.equal(await make({ remoteId: told.at(-1) }), undefined);
  }
});

it('bfl polls an address with a fragment, to which it adds the cost, and sends the server neither', async () => {
  await using bench = await open('flux-2-pro');
  const made = await bench.provider.generate(request(), run());
  assert.ok(made.bytes.length > 0);
  const address = `${bench.emulator.url}/region/v1/get_result?id=${bench.emulator.accepted[0]}`;
  for (const [cost, kept] of [
    [0.5, '#credits=0.5'],
    [1e-7, '#credits=1e-7'],
    [undefined, ''],
  ] as const)
    for (const fragment of ['', '#a', '#credits=x', '#']) {
      bench.emulator.always('submit', { body: { id: 'x', polling_url: address + fragment, cost } });
      const told: string[] = [];
      const onSubmitted = async (id: string) => void told.push(id);
      await bench.provider.generate(request(), run({ onSubmitted }));
      assert.deepEqual(told, [address + fragment + kept]);
      for (const remoteId of told) await bench.provider.generate(request(), run({ remoteId }));
    }
  for (const { path, query } of bench.emulator.of('status'))
    assert.doesNotMatch(`${path}?${query}`, /#|credits|%23/);
});

it('bfl is unhealthy without credit', async () => {
  await using bench = await open('flux-2-pro');
  bench.emulator.credits = 0;
  const health = await bench.provider.check(AbortSignal.timeout(20_000));
  assert.deepEqual(health, { ok: false, kind: 'quota', detail: 'quota: 0 credits are left' });
});

it('bfl requests sizes that each family makes, near the promised ones', async () => {
  for (const model of ['flux-2-pro', 'flux-dev']) {
    await using bench = await open(model);
    for (const resolution of bench.provider.capabilities.resolutions) {
      for (const aspectRatio of commonRatios) {
        const promised = pixels(modelOf('nb2'), aspectRatio, resolution === '2K' ? '2K' : '1K');
        await bench.provider.generate(request({ ...promised, aspectRatio, resolution }), run());
        const { width, height } = Object(bench.emulator.of('submit').at(-1)?.json());
        assert.ok(width * height <= 2048 * 2048);
        assert.ok(width >= promised.width * 0.9 && height >= promised.height * 0.9, `${width}x${height}`);
        assert.ok(Math.abs(Math.log(width / height / (promised.width / promised.height))) < 0.03);
      }
    }
  }
});

it('bfl receives inputs within its limits', async () => {
  await using bench = await open('flux-2-pro');
  const size = { width: 5000, height: 4500 };
  const large = input(await sampleImage(size), { ...size, mediaType: 'image/png' });
  await bench.provider.generate(request({ inputs: [large] }), run());
  const { input_image: sent } = Object(bench.emulator.of('submit')[0]?.json());
  const { default: sharp } = await import('sharp');
  const { width, height } = await sharp(Buffer.from(sent, 'base64')).metadata();
  assert.ok(width * height <= 20_000_000 && width * height > 19_000_000, `${width}x${height}`);
});
