import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createComfyUi } from '../../src/upstream/providers/comfyui/comfyui.ts';
import { pick, pickText } from '../../src/upstream/providers/pick.ts';
import { type ComfyUiEmulator, comfyReplies, startComfyUi } from '../emulators/comfyui.ts';
import { conforms, type FailureRow } from './conformance.ts';
import { closing, failureOf, guard, inputs, request, run } from './requests.ts';

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
  return closing({ provider: createComfyUi(settings, {}, guard), emulator });
}

function history(entry: unknown): Pick<FailureRow, 'arrange'> {
  return {
    arrange(emulator) {
      const comfy = emulator as ComfyUiEmulator; // `open` above starts only this kind
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
    closes: 'model_not_found',
  },
  {
    name: 'an input that the server cannot read',
    reply: refused('custom_validation_failed', 'Invalid image file: x.png'),
    kind: 'model_not_found',
  },
  {
    name: 'an upload that is refused',
    reply: { status: 413, body: 'too large' },
    kind: 'bad_response',
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
  { name: 'interrupted by somebody', ...history(failed('execution_interrupted', {})), kind: 'unavailable' },
  { name: 'a graph that saves nothing', ...history(ended([])), kind: 'bad_response' },
];

conforms({
  name: 'comfyui',
  open,
  rows,
  secret: key,
  // Requests the history before and after the queue.
  looksBefore: 2,
  privateFiles: true,
  stages: { make: 'submit', look: 'history', file: 'view', check: 'stats' },
});

it('comfyui uses the workflow with just enough slots, and fills them', async () => {
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
  const first = `darkroom-${wanted.jobId}-1.png`;
  const second = `darkroom-${wanted.jobId}-2.jpg`;
  assert.deepEqual(names, [first, second, second]);
});

it('comfyui finds a run whose id was not stored, and starts again after a failed one', async () => {
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

it('comfyui leaves a run whose image cannot be used, and a run of another route', async () => {
  await using bench = await open();
  const wanted = request();
  await bench.provider.generate(wanted, run());
  await bench.provider.generate(wanted, run({ attempt: 2, startsAnew: true }));
  assert.equal(bench.emulator.accepted.length, 2);
  assert.notEqual(bench.emulator.accepted[1], wanted.jobId);
});

it('comfyui cancels on servers without a jobs API, and interrupts only its own run', async () => {
  await using bench = await open();
  bench.emulator.isOld = true;
  await bench.provider.cancel?.('some-run');
  assert.deepEqual(bench.emulator.of('dequeue')[0]?.json(), { delete: ['some-run'] });
  assert.equal(bench.emulator.of('interrupt').length, 0, 'what runs is not ours');
  const running = { queue_running: [[1, 'some-run', {}, {}, []]], queue_pending: [] };
  bench.emulator.always('queue', { body: running });
  await bench.provider.cancel?.('some-run');
  assert.deepEqual(bench.emulator.of('interrupt')[0]?.json(), { prompt_id: 'some-run' });
});

it('comfyui reports a partly refused graph as the operator’s mistake, and stops the rest', async () => {
  await using bench = await open();
  bench.emulator.nodeErrors = { '9': { errors: [{ type: 'value_not_in_list' }], class_type: 'SaveImage' } };
  const error = await failureOf(bench.provider.generate(request(), run()));
  assert.equal(error.kind, 'model_not_found');
  assert.match(error.detail ?? '', /value_not_in_list/);
  assert.doesNotMatch(error.message, /prompt|plainly/);
  assert.deepEqual(bench.emulator.cancelled, bench.emulator.accepted);
});

it('comfyui submits again when a finished run’s image is gone, and counts that as no failure', async () => {
  await using bench = await open();
  const wanted = request();
  const ids: string[] = [];
  const onSubmitted = async (id: string) => void ids.push(id);
  bench.emulator.gone.add(`${wanted.jobId}.png`);
  await bench.provider.generate(wanted, run({ onSubmitted }));
  assert.equal(ids.length, 2);
  assert.deepEqual(bench.emulator.accepted, ids);

  await using cached = await open();
  const { seed: _seed, ...still } = text['3'].inputs;
  const workflows = [{ ...text, '3': { ...text['3'], inputs: still } }];
  const provider = createComfyUi({ baseUrl: cached.emulator.url, workflows, pollMs: 10 }, {}, guard);
  cached.emulator.gone.add(`${wanted.jobId}.png`);
  const error = await failureOf(provider.generate(wanted, run()));
  assert.deepEqual([error.kind, error.resumable], ['bad_response', false]);
  assert.equal(cached.emulator.accepted.length, 2);
  assert.match(provider.warnings?.join() ?? '', /no \{\{seed\}\} slot/);
  assert.deepEqual(bench.provider.warnings, []);
});

it('comfyui makes the image of a given seed again when the file of its first run is gone', async () => {
  await using emulator = await startComfyUi();
  const workflow = {
    ...text,
    '9': { class_type: 'SaveImage', inputs: { filename_prefix: 'fox', images: ['8', 0] } },
  };
  const settings = { baseUrl: emulator.url, workflows: [workflow], pollMs: 10 };
  await using open = closing({ provider: createComfyUi(settings, {}, guard) });
  const fields = { '3.seed': 7 };
  const first = request({ fields });
  await open.provider.generate(first, run());
  emulator.gone.add(`${first.jobId}.png`);
  const made = await open.provider.generate(request({ fields }), run());
  assert.ok(made.bytes.length > 0);
  const [, cached, again] = emulator.of('submit').map((sent) => pick(sent.json(), 'prompt'));
  assert.equal(pick(cached, '9', 'inputs', 'filename_prefix'), 'fox');
  assert.match(pickText(again, '9', 'inputs', 'filename_prefix') ?? '', /^fox-/);
  assert.equal(pick(again, '3', 'inputs', 'seed'), 7);
});

it('comfyui refuses workflows that cannot do what it would promise', async () => {
  const make = (workflows: Record<string, unknown>[]) => () =>
    createComfyUi({ baseUrl: 'http://127.0.0.1:1', workflows }, {}, guard);
  assert.throws(make([edit]), /without image slots/);
  assert.throws(make([{ '1': { inputs: {} } }]), /\{\{prompt\}\}/);
  const wrongNode = () =>
    createComfyUi({ baseUrl: 'http://127.0.0.1:1', workflows: [text], outputNode: '77' }, {}, guard);
  assert.throws(wrongNode, /outputNode is "77", which a comfyui workflow does not have \(it has 3, 5, 6\)/);
  const provider = make([text])();
  const error = await failureOf(provider.generate(request({ inputs: await inputs(1) }), run()));
  assert.equal(error.kind, 'network');
});
