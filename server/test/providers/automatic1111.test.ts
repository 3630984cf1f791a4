import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAutomatic1111 } from '../../src/providers/automatic1111/automatic1111.ts';
import { pick } from '../../src/providers/pick.ts';
import { automatic1111Login, automatic1111Replies, startAutomatic1111 } from '../emulators/automatic1111.ts';
import { conforms, type FailureRow } from './conformance.ts';
import { closing, failureOf, inputs, request, run } from './requests.ts';

const { error } = automatic1111Replies;

const rows: FailureRow[] = [
  { name: '401', reply: { status: 401, body: { detail: 'Incorrect username or password' } }, kind: 'auth' },
  {
    name: 'a sampler that is not there',
    reply: error(404, 'HTTPException', 'Sampler not found'),
    kind: 'model_not_found',
  },
  {
    name: 'an API that is switched off',
    reply: { status: 404, body: { detail: 'Not Found' } },
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
  { name: 'a success without images', reply: { body: { images: [], info: '{}' } }, kind: 'no_image' },
];

async function open() {
  const emulator = await startAutomatic1111();
  const { user, password } = automatic1111Login;
  const baseUrl = emulator.url.replace('//', `//${user}:${password}@`);
  const settings = { baseUrl, model: 'sdxl', steps: 20, sampler: 'Euler' };
  return closing({ provider: createAutomatic1111(settings), emulator });
}

const stages = { make: 'generate', check: 'models' };
conforms({ name: 'automatic1111', open, rows, secret: automatic1111Login.password, stages });

it('automatic1111 sends exact pixels, the settings of the operator and one input', async () => {
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

it('automatic1111 interrupts its own work, and only its own, when nobody waits for it', async () => {
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
