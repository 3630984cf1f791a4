import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createComfyUi } from '../../src/providers/comfyui/comfyui.ts';
import { pick, pickText } from '../../src/providers/pick.ts';
import { type ComfyUiEmulator, comfyReplies, startComfyUi } from '../emulators/comfyui.ts';
import { conforms, type FailureRow } from './conformance.ts';
import { closing, failureOf, inputs, request, run } from './requests.ts';

const { refused, failed, ended } = comfyReplies;
const key = 'proxy-key';

const text = {
  '3': { class_type: 'KSampler', inputs: { seed: '{{seed}}', latent_image: ['5', 0] } },
  '5': {
    class_type: 'EmptyLatentImage',
    inputs: { width: '{{width}}', height: '{{height}}', batch_size: 1 },
  },
  '6': { class_type: 'CLIPTextEncode', inputs: { text: 'best quality, {{prompt}}' } },
};
const edit = {
  ...text,
  '10': { class_type: 'LoadImage', inputs: { image: '{{image1}}' } },
  '11': { class_type: 'LoadImage', inputs: { image: '{{image2}}' } },
  '12': { class_type: 'LoadImage', inputs: { image: '{{image3}}' } },
};

async function open() {
  const emulator = await startComfyUi();
  const baseUrl = emulator.url.replace('//', `//proxy:${key}@`);
  const settings = { baseUrl, workflows: [edit, text], pollMs: 10 };
  return closing({ provider: createComfyUi(settings), emulator });
}

/** The run ends like that whatever its id. */
function history(entry: unknown): Pick<FailureRow, 'arrange'> {
  return {
    arrange(emulator) {
      const comfy = emulator as ComfyUiEmulator; // `open` above starts no other
      void comfy.arrived('submit').then((submitted) => {
        comfy.ends(pickText(submitted.json(), 'prompt_id') ?? '', entry);
      });
    },
  };
}

const rows: FailureRow[] = [
  {
    name: 'a model file that is missing',
    reply: refused('prompt_outputs_failed_validation', 'Prompt outputs failed validation', {
      '4': { errors: [{ type: 'value_not_in_list' }] },
    }),
    kind: 'model_not_found',
  },
  {
    name: 'a node that is missing',
    reply: refused('missing_node_type', 'Node X not found'),
    kind: 'model_not_found',
  },
  {
    name: 'an input that the server cannot read',
    reply: refused('custom_validation_failed', 'Invalid image file: x.png'),
    kind: 'invalid_input',
  },
  { name: 'a proxy that wants another key', reply: { status: 403, body: 'no' }, kind: 'auth' },
  {
    name: 'out of memory',
    ...history(
      failed('execution_error', { exception_type: 'torch.OutOfMemoryError', exception_message: 'CUDA' }),
    ),
    kind: 'unavailable',
  },
  {
    name: 'an error in a node',
    ...history(failed('execution_error', { exception_type: 'ValueError', exception_message: 'x' })),
    kind: 'bad_response',
  },
  { name: 'interrupted by somebody', ...history(failed('execution_interrupted', {})), kind: 'cancelled' },
  { name: 'a graph that saves nothing', ...history(ended([])), kind: 'no_image' },
];

conforms({
  name: 'comfyui',
  open,
  rows,
  secret: key,
  // The history before and after the queue.
  looksBefore: 2,
  privateFiles: true,
  stages: { make: 'submit', look: 'history', file: 'view', check: 'stats' },
});

it('comfyui fills the slots of the workflow that has just enough of them', async () => {
  await using bench = await open();
  const wanted = request({
    prompt: 'say "{{seed}}" \\ twice',
    width: 1376,
    height: 768,
    inputs: await inputs(2),
  });
  await bench.provider.generate(wanted, run());
  const submitted = bench.emulator.of('submit')[0]?.json();
  assert.equal(pick(submitted, 'prompt_id'), wanted.jobId);
  const graph = pick(submitted, 'prompt');
  assert.equal(pick(graph, '6', 'inputs', 'text'), 'best quality, say "{{seed}}" \\ twice');
  assert.deepEqual(pick(graph, '5', 'inputs'), { width: 1376, height: 768, batch_size: 1 });
  assert.equal(typeof pick(graph, '3', 'inputs', 'seed'), 'number');
  const names = ['10', '11', '12'].map((node) => pickText(graph, node, 'inputs', 'image'));
  const first = `renamed-darkroom-${wanted.jobId}-1.png`;
  const second = `renamed-darkroom-${wanted.jobId}-2.jpg`;
  assert.deepEqual(names, [first, second, second]);
});

it('comfyui finds a run whose id nobody could keep, and starts anew after one that failed', async () => {
  await using bench = await open();
  const wanted = request();
  await assert.rejects(
    bench.provider.generate(wanted, run({ onSubmitted: () => Promise.reject(new Error('killed')) })),
  );
  await bench.provider.generate(wanted, run({ attempt: 2 }));
  assert.deepEqual(bench.emulator.accepted, [wanted.jobId]);
  bench.emulator.ends(wanted.jobId, failed('execution_error', {}));
  await bench.provider.generate(wanted, run({ attempt: 3 }));
  assert.equal(bench.emulator.accepted.length, 2);
  assert.notEqual(bench.emulator.accepted[1], wanted.jobId);
});

it('comfyui cancels on servers that have no jobs API', async () => {
  await using bench = await open();
  bench.emulator.always('cancel', { status: 404, body: '' });
  await bench.provider.cancel?.('some-run');
  assert.deepEqual(bench.emulator.of('dequeue')[0]?.json(), { delete: ['some-run'] });
  assert.deepEqual(bench.emulator.of('interrupt')[0]?.json(), { prompt_id: 'some-run' });
});

it('comfyui refuses workflows that cannot serve what it would promise', async () => {
  const make = (workflows: Record<string, unknown>[]) => () =>
    createComfyUi({ baseUrl: 'http://127.0.0.1:1', workflows });
  assert.throws(make([edit]), /without image slots/);
  assert.throws(make([{ '1': { inputs: {} } }]), /\{\{prompt\}\}/);
  const provider = make([text])();
  const error = await failureOf(provider.generate(request({ inputs: await inputs(1) }), run()));
  assert.equal(error.kind, 'network');
});
