import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAutomatic1111 } from '../../src/upstream/providers/automatic1111/automatic1111.ts';
import { createRefusals } from '../../src/upstream/providers/automatic1111/refusal.ts';
import { pick } from '../../src/upstream/providers/pick.ts';
import { createUpstream } from '../../src/upstream/providers/upstream.ts';
import { automatic1111Login, automatic1111Replies, startAutomatic1111 } from '../emulators/automatic1111.ts';
import { conforms, type FailureRow } from './conformance.ts';
import { closing, failureOf, guard, inputs, request, run } from './requests.ts';

const { error } = automatic1111Replies;

const rows: FailureRow[] = [
  {
    name: '401',
    reply: { status: 401, body: { detail: 'Incorrect username or password' } },
    kind: 'auth',
    closes: 'auth',
  },
  {
    name: 'a sampler that is not there',
    reply: error(404, 'HTTPException', 'Sampler not found'),
    kind: 'model_not_found',
  },
  {
    name: 'an API that is not mounted yet',
    reply: { status: 404, body: { detail: 'Not Found' } },
    kind: 'unavailable',
    retryAfterMs: 1_000,
  },
  {
    name: 'settings that do not fit together',
    reply: {
      status: 500,
      body: {
        error: 'TypeError',
        detail: '',
        errors: '',
        message: "argument of type 'NoneType' is not iterable",
      },
    },
    kind: 'bad_response',
  },
  {
    name: 'a sampler that is not there, as Forge says it',
    reply: { status: 500, body: { error: 'HTTPException', message: 'Sampler DPM9 not found' } },
    kind: 'model_not_found',
  },
  {
    name: 'a schema that refuses',
    reply: { status: 422, body: { detail: [{ loc: ['body', 'steps'], msg: 'x', type: 'y' }] } },
    kind: 'model_not_found',
  },
  {
    name: 'an input it cannot read',
    reply: error(500, 'HTTPException', 'Invalid encoded image'),
    kind: 'invalid_input',
  },
  {
    name: 'out of memory',
    reply: error(500, 'OutOfMemoryError', 'CUDA out of memory.'),
    kind: 'unavailable',
  },
  { name: '500', reply: error(500, 'RuntimeError', 'x'), kind: 'unavailable' },
  { name: 'a success without images', reply: { body: { images: [], info: '{}' } }, kind: 'bad_response' },
];

async function open() {
  const emulator = await startAutomatic1111();
  const { user, password } = automatic1111Login;
  const baseUrl = emulator.url.replace('//', `//${user}:${password}@`);
  const settings = { baseUrl, model: 'sdxl', steps: 20, sampler: 'Euler' };
  return closing({ provider: createAutomatic1111(settings, {}, guard), emulator });
}

const stages = { make: 'generate', check: 'models' };
conforms({ name: 'automatic1111', open, rows, secret: automatic1111Login.password, stages });

it('automatic1111 sends exact pixels, the operator’s settings and one input', async () => {
  await using bench = await open();
  await bench.provider.generate(request({ width: 1376, height: 768, inputs: await inputs(1) }), run());
  const sent = bench.emulator.of('generate')[0];
  assert.equal(sent?.path, '/sdapi/v1/img2img');
  const { init_images, force_task_id, ...rest } = Object(sent?.json());
  assert.equal(init_images.length, 1);
  assert.match(force_task_id, /^task\(/);
  assert.deepEqual(rest, {
    override_settings: { sd_model_checkpoint: 'sdxl' },
    override_settings_restore_afterwards: false,
    steps: 20,
    sampler_name: 'Euler',
    prompt: 'a red fox',
    width: 1376,
    height: 768,
    seed: -1,
    batch_size: 1,
    n_iter: 1,
    send_images: true,
    save_images: false,
    resize_mode: 1,
    include_init_images: false,
    denoising_strength: 0.75,
  });
});

it('automatic1111 interrupts only its own work, when nothing waits for it any longer', async () => {
  for (const [active, times] of [
    [true, 1],
    [false, 0],
  ] as const) {
    await using bench = await open();
    bench.emulator.always('generate', 'hang');
    bench.emulator.always('progress', { body: { active } });
    const wanted = request();
    const stop = new AbortController();
    const arrived = bench.emulator.arrived('generate');
    const stopped = failureOf(bench.provider.generate(wanted, run({ signal: stop.signal })));
    await arrived;
    stop.abort();
    assert.equal((await stopped).kind, 'cancelled');
    assert.equal(pick(bench.emulator.of('progress')[0]?.json(), 'id_task'), `task(${wanted.jobId})`);
    assert.equal(bench.emulator.of('interrupt').length, times);
  }
});

it('automatic1111 treats a server without its API as one that is starting, but not for long', () => {
  let nowMs = 0;
  const upstream = createUpstream(guard, []);
  const refusalOf = createRefusals(upstream, () => nowMs);
  const notMounted = { status: 404, ok: false, headers: new Map(), bytes: Buffer.from('{}') };
  const answer = { ...notMounted, json: () => ({ detail: 'Not Found' }) };
  assert.equal(refusalOf(answer).kind, 'unavailable');
  nowMs = 14_999;
  assert.equal(refusalOf(answer).kind, 'unavailable');
  nowMs = 15_000;
  assert.equal(refusalOf(answer).kind, 'model_not_found');
  const other = { ...notMounted, status: 500, json: () => ({ error: 'RuntimeError' }) };
  assert.equal(refusalOf(other).kind, 'unavailable');
  assert.equal(refusalOf(answer).kind, 'unavailable', 'it answered in between, so it has started again');
});

it('automatic1111 names a checkpoint, sampler or scheduler that the server would ignore', async () => {
  await using bench = await open();
  const baseUrl = bench.emulator.url.replace(
    '//',
    `//${automatic1111Login.user}:${automatic1111Login.password}@`,
  );
  const check = (settings: object) =>
    createAutomatic1111({ baseUrl, ...settings }, {}, guard).check(AbortSignal.timeout(20_000));
  const right = { model: 'sdxl.safetensors', sampler: 'k_euler', scheduler: 'Karras' };
  assert.deepEqual(await check(right), { ok: true });
  for (const wrong of [{ model: 'sd15' }, { sampler: 'DPM9' }, { scheduler: 'linear' }]) {
    const { ok, detail } = await check({ ...right, ...wrong });
    assert.equal(ok, false);
    assert.match(detail ?? '', new RegExp(`no \\w+ "${Object.values(wrong)[0]}"; it has`));
  }
});

it('automatic1111 requests fewer pixels from small checkpoints, and high-resolution fixes from Forge in its own form', async () => {
  await using bench = await open();
  const baseUrl = bench.emulator.url.replace(
    '//',
    `//${automatic1111Login.user}:${automatic1111Login.password}@`,
  );
  const provider = createAutomatic1111(
    {
      baseUrl,
      longestSide: 640,
      extra: { enable_hr: true, hr_scale: 2 },
    },
    {},
    guard,
  );
  await provider.generate(request({ width: 1376, height: 768 }), run());
  const sent = bench.emulator.of('generate')[0]?.json();
  assert.deepEqual([pick(sent, 'width'), pick(sent, 'height')], [640, 360]);
  assert.deepEqual(pick(sent, 'hr_additional_modules'), []);
});
