import assert from 'node:assert/strict';
import { it } from 'node:test';
import Value from 'typebox/value';
import { applyChoices } from '../../src/upstream/providers/comfyui/apply-choices.ts';
import { createComfyUi } from '../../src/upstream/providers/comfyui/comfyui.ts';
import { readNodeTypesFor } from '../../src/upstream/providers/comfyui/node-types.ts';
import { readWorkflow } from '../../src/upstream/providers/comfyui/read-workflow.ts';
import { pick } from '../../src/upstream/providers/pick.ts';
import { startComfyUi } from '../emulators/comfyui.ts';
import * as shapes from './comfyui-workflows.ts';
import { closing, guard, inputs, request, run } from './requests.ts';

function read(workflow: unknown, types?: Parameters<typeof readWorkflow>[1]) {
  const reading = readWorkflow(workflow, types);
  assert.ok(reading.ok, JSON.stringify(reading));
  const { parameters, ...places } = reading.choice;
  const offered = Object.fromEntries(
    parameters.map(({ name, place, schema }) => [name, `${place}=${schema.default}`]),
  );
  return { ...reading, places, offered, whats: reading.missing.map(({ what }) => what) };
}

it('finds everything in the workflow that ComfyUI starts with', () => {
  const { places, offered, whats, candidates } = read(shapes.stableDiffusion);
  assert.deepEqual(places, {
    prompt: ['6.text'],
    width: ['5.width'],
    height: ['5.height'],
    seed: ['3.seed'],
    images: [],
    output: '9',
  });
  assert.deepEqual(offered, {
    seed: '3.seed=undefined',
    negative_prompt: '7.text=text, watermark',
    steps: '3.steps=20',
    cfg: '3.cfg=8',
    sampler: '3.sampler_name=euler',
    scheduler: '3.scheduler=normal',
    checkpoint: '4.ckpt_name=v1-5.safetensors',
  });
  assert.deepEqual(whats, []);
  assert.deepEqual(
    candidates.prompt.map(({ place, title }) => `${place} ${title}`),
    ['6.text Positive: text', '7.text Negative: text'],
  );
});

it('sets base and refiner together, and leaves the step at which one hands over unchanged', () => {
  const { places, offered, whats } = read(shapes.sdxlRefiner);
  assert.deepEqual(places, {
    prompt: ['6.text', '15.text'],
    width: ['5.width'],
    height: ['5.height'],
    seed: ['11.noise_seed', '10.noise_seed'],
    images: [],
    output: '19',
  });
  assert.equal(offered.negative_prompt, '7.text,16.text=text, watermark');
  assert.equal(offered.lora, '20.lora_name=ink.safetensors');
  assert.equal(offered.lora_strength, '20.strength_model,20.strength_clip=0.8');
  assert.equal(offered.checkpoint, '12.ckpt_name=sd_xl_refiner.safetensors');
  assert.equal(offered.checkpoint_2, '4.ckpt_name=sd_xl_base.safetensors');
  assert.equal(offered.steps, undefined);
  assert.deepEqual(whats, []);
});

it('follows FLUX through guider, noise and primitives', () => {
  const { places, offered, whats } = read(shapes.fluxDev);
  assert.deepEqual(places, {
    prompt: ['6.text'],
    width: ['34.value'],
    height: ['35.value'],
    seed: ['25.noise_seed'],
    images: [],
    output: '9',
  });
  assert.deepEqual(offered, {
    seed: '25.noise_seed=undefined',
    steps: '17.steps=20',
    guidance: '26.guidance=3.5',
    sampler: '16.sampler_name=euler',
    scheduler: '17.scheduler=simple',
    checkpoint: '12.unet_name=flux1-dev.safetensors',
  });
  assert.deepEqual(whats, []);
});

it('reads Qwen-Image, and its edits with three inputs in the order of their names', () => {
  const text = read(shapes.qwenImage);
  assert.deepEqual(
    [text.places.prompt, text.places.width, text.offered.negative_prompt],
    [['6.text'], ['58.width'], '7.text='],
  );
  const edit = read(shapes.qwenImageEdit);
  assert.deepEqual(edit.places, {
    prompt: ['433:111.prompt'],
    width: [],
    height: [],
    seed: ['433:3.seed'],
    images: ['78.image', '106.image', '108.image'],
    output: '60',
  });
  assert.equal(edit.offered.negative_prompt, '433:110.prompt=');
  assert.equal(edit.offered.lora_strength, '433:89.strength_model=1');
  assert.deepEqual(edit.whats, ['size']);
});

it('reads image-to-image workflows, whose strength is the denoise value', () => {
  const { places, offered, missing } = read(shapes.imageToImage);
  assert.deepEqual([places.images, places.width], [['10.image'], []]);
  assert.equal(offered.strength, '3.denoise=0.87');
  assert.match(missing[0]?.detail ?? '', /size that the workflow makes of the input/);
});

it('reads Kontext: no negative prompt if it was emptied, and the saved image, not a preview', () => {
  const { places, offered, whats } = read(shapes.kontext);
  assert.deepEqual(places, {
    prompt: ['200.value'],
    width: ['188.width'],
    height: ['188.height'],
    seed: ['31.seed'],
    images: ['142.image', '147.image'],
    output: '136',
  });
  assert.equal(offered.negative_prompt, undefined);
  assert.deepEqual([offered.guidance, offered.cfg], ['35.guidance=2.5', '31.cfg=1']);
  assert.deepEqual(whats, []);
});

it('says which inputs it did not find, and lists candidates', () => {
  const { '6': _positive, ...rest } = shapes.stableDiffusion;
  const custom = { ...rest, '6': { class_type: 'WildcardEncode', inputs: { text: 'a fox', other: 'x' } } };
  const [sampler, save] = [shapes.stableDiffusion['3'], shapes.stableDiffusion['9']];
  const wildcard = { ...sampler, inputs: { ...sampler.inputs, positive: ['50', 0] } };
  const hidden = { ...custom, '3': wildcard, '50': { class_type: 'Magic', inputs: { thing: ['6', 0] } } };
  const reading = read(hidden);
  assert.deepEqual([reading.places.prompt, reading.whats], [[], ['prompt']]);
  assert.deepEqual(
    reading.candidates.prompt.map(({ place }) => place),
    ['7.text', '6.text'].toSorted(),
  );
  const parts = {
    ...shapes.stableDiffusion,
    '3': { ...sampler, inputs: { ...sampler.inputs, positive: ['60', 0] } },
    '60': {
      class_type: 'ConditioningCombine',
      inputs: { conditioning_1: ['6', 0], conditioning_2: ['61', 0] },
    },
    '61': { class_type: 'CLIPTextEncode', inputs: { text: 'a moon in the corner', clip: ['4', 1] } },
  };
  assert.match(read(parts).missing[0]?.detail ?? '', /several different texts/);
  const { '9': _save, ...unsaved } = shapes.stableDiffusion;
  assert.deepEqual(read(unsaved).whats, ['output']);
  assert.equal(save.class_type, 'SaveImage');
});

it('refuses the editor’s format and files that are not workflows, and says how to export one', () => {
  const editor = {
    last_node_id: 9,
    nodes: [{ id: 3, type: 'KSampler' }],
    links: [[1, 4, 0, 3, 0, 'MODEL']],
    version: 0.4,
  };
  const wrong = readWorkflow(editor);
  assert.deepEqual([wrong.ok, !wrong.ok && wrong.problem], [false, 'editor_format']);
  assert.match(!wrong.ok ? wrong.detail : '', /“Export \(API\)”/);
  const others = [null, 3, [], {}, { a: 1 }, { '1': { class_type: 'X' } }, { prompt: 'a fox' }];
  for (const other of others) assert.equal(readWorkflow(other).ok, false, JSON.stringify(other));
  assert.ok(readWorkflow({ prompt: shapes.stableDiffusion, client_id: 'x' }).ok);
  const circle = {
    '1': {
      class_type: 'A',
      inputs: { images: ['2', 0], conditioning: ['1', 0], positive: ['1', 0], latent_image: ['2', 0] },
    },
    '2': { class_type: 'B', inputs: { value: ['2', 0], positive: ['1', 0], latent_image: ['1', 0] } },
  };
  assert.equal(readWorkflow(circle).ok, true);
});

it('takes limits and options from the server, and names nodes and files that it does not have', async () => {
  await using emulator = await startComfyUi();
  const types = await readNodeTypesFor(
    { baseUrl: emulator.url, credentials: {}, guard },
    shapes.stableDiffusion,
    AbortSignal.timeout(20_000),
  );
  assert.equal(emulator.of('types').length, 6, 'each class once');
  const { choice, missing } = read(shapes.stableDiffusion, types);
  const schemas = Object.fromEntries(
    choice.parameters.map(({ name, schema: { description: _text, ...schema } }) => [name, schema]),
  );
  assert.deepEqual(schemas.steps, { type: 'integer', default: 20, minimum: 1, maximum: 100 });
  assert.deepEqual(schemas.cfg, { type: 'number', default: 8, minimum: 0, maximum: 100 });
  assert.deepEqual(schemas.sampler, { type: 'string', default: 'euler', enum: ['euler', 'dpmpp_2m'] });
  assert.deepEqual(schemas.checkpoint?.enum, ['v1-5.safetensors', 'sd_xl_base.safetensors']);
  assert.deepEqual(
    missing.map(({ what }) => what),
    ['node', 'node', 'node', 'node'],
    'the emulator declares two classes only',
  );
  const absent = structuredClone(shapes.stableDiffusion);
  absent['4'].inputs.ckpt_name = 'gone.safetensors';
  const file = read(absent, types).missing.find(({ what }) => what === 'file');
  assert.match(file?.detail ?? '', /no ckpt_name “gone.safetensors”. It has sd_xl_base/);
});

it('makes a route from confirmed workflows, which sends prompt, size, images and parameters to their inputs', async () => {
  await using emulator = await startComfyUi();
  const workflows = [shapes.fluxDev, shapes.kontext];
  const route = applyChoices(workflows.map((workflow) => ({ workflow, choice: read(workflow).choice })));
  assert.deepEqual(route.fields, {
    seed: '25.noise_seed,31.seed',
    steps: '17.steps,31.steps',
    guidance: '26.guidance,35.guidance',
    sampler: '16.sampler_name,31.sampler_name',
    scheduler: '17.scheduler,31.scheduler',
    checkpoint: '12.unet_name,37.unet_name',
  });
  assert.deepEqual([route.settings.maxInputs, route.settings.minInputs], [2, undefined]);
  await using open = closing({
    provider: createComfyUi({ baseUrl: emulator.url, pollMs: 10, ...route.settings }, {}, guard),
  });
  for (const [name, place] of Object.entries(route.fields)) {
    assert.ok(open.provider.takesField(place), name);
    assert.ok(Value.Check(route.parameters[name] ?? {}, route.parameters[name]?.default ?? 7), name);
  }
  const fields = { [route.fields.seed ?? '']: 7, [route.fields.steps ?? '']: 12 };
  const size = { width: 1376, height: 768 };
  await open.provider.generate(request({ ...size, fields }), run());
  await open.provider.generate(request({ ...size, fields, inputs: await inputs(2) }), run());
  const [text, edit] = emulator.of('submit').map((sent) => pick(sent.json(), 'prompt'));
  const at = (graph: unknown, ...places: string[]) =>
    places.map((place) => pick(graph, place.split('.')[0] ?? '', 'inputs', place.split('.')[1] ?? ''));
  assert.deepEqual(at(text, '6.text', '34.value', '35.value', '25.noise_seed', '17.steps'), [
    'a red fox',
    1376,
    768,
    7,
    12,
  ]);
  assert.deepEqual(at(edit, '200.value', '188.width', '31.seed', '31.steps', '31.cfg'), [
    'a red fox',
    1376,
    7,
    12,
    1,
  ]);
  for (const [index, name] of at(edit, '142.image', '147.image').entries())
    assert.match(String(name), new RegExp(`^darkroom-.*-${index + 1}\\.`));
  assert.deepEqual(pick(text, '6', '_meta'), { title: 'CLIPTextEncode' });
});

it('makes a route only for images from a workflow that needs them', () => {
  const workflow = shapes.qwenImageEdit;
  const { settings } = applyChoices([{ workflow, choice: read(workflow).choice }]);
  assert.deepEqual([settings.minInputs, settings.maxInputs, settings.outputNode], [1, 3, '60']);
  const { capabilities } = createComfyUi({ baseUrl: 'http://127.0.0.1:1', ...settings }, {}, guard);
  assert.deepEqual([capabilities.minInputs, capabilities.maxInputs], [1, 3]);
});

it('refuses a choice that does not fit its workflow', () => {
  const workflow = shapes.stableDiffusion;
  const { choice } = read(workflow);
  const apply = (changes: Partial<typeof choice>) => () =>
    applyChoices([{ workflow, choice: { ...choice, ...changes } }]);
  assert.throws(apply({ seed: ['3.noise'] }), /no input 3\.noise/);
  assert.throws(apply({ prompt: [] }), /a place for the prompt/);
  assert.throws(apply({ output: '77' }), /no node 77/);
});
