import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelDefinition } from '../../src/upstream/catalog/model-definition.ts';
import { assertProblem } from '../http/support/refusal.ts';
import { bearer } from '../http/support/requests.ts';
import { changeModel } from '../world/change-model.ts';
import { plainPng, TestProvider } from '../world/provider.ts';
import { openWorld, testRoutes, type World } from '../world/world.ts';

const flux: ModelDefinition = {
  id: 'flux',
  name: 'FLUX',
  description: 'Fast and open',
  modes: ['text', 'url'],
  maxInputs: 2,
  ratios: ['1:1', '16:9', '5:3'],
  auto: true,
  resolutions: {
    '1K': { megapixels: 1, multipleOf: 16, price: '0.03' },
    HD: { megapixels: 2, multipleOf: 16, price: '0.05' },
  },
  parameters: {
    seed: { type: 'integer', minimum: 0 },
    steps: { type: 'integer', minimum: 1, maximum: 50, default: 28 },
    guidance: { type: 'number', minimum: 0, maximum: 20 },
    style: { type: 'string', enum: ['photo', 'drawing'] },
    negative_prompt: { type: 'string', maxLength: 10 },
    tile: { type: 'boolean' },
  },
};

async function openFlux(options: { worker?: boolean } = {}) {
  const provider = new TestProvider();
  const parameters = Object.fromEntries(
    Object.keys(flux.parameters ?? {}).map((name) => [name, `x.${name}`]),
  );
  const own = { id: 'flux/test', model: 'flux', provider, slots: 4, timeoutMs: 30_000, parameters };
  const world = await openWorld({ ...options, replacements: { routes: [...testRoutes(provider), own] } });
  await changeModel(world, 'flux', () => flux);
  return { world, provider };
}

test('an operator’s own model makes images in its own sizes, with the request’s parameters', async () => {
  const opened = await openFlux();
  await using world: World = opened.world;
  const body = { aspect_ratio: '5:3', resolution: 'HD', parameters: { seed: 7, style: 'photo', tile: true } };
  const job = await world.finished(await world.create('/flux/text-generations', body));
  assert.equal(job.status, 'done');
  assert.equal(job.price, '0.05');
  assert.deepEqual(job.parameters, { seed: 7, steps: 28, style: 'photo', tile: true });
  const { width, height } = job.result as { width: number; height: number };
  assert.deepEqual([width, height], [1872, 1120]);
  assert.deepEqual(opened.provider.requests[0]?.request.fields, {
    'x.seed': 7,
    'x.steps': 28,
    'x.style': 'photo',
    'x.tile': true,
  });
});

test('fields that a model does not take are refused with their place', async () => {
  const { world: opened } = await openFlux({ worker: false });
  await using world: World = opened;
  const cases: [string, object, string][] = [
    ['text', { parameters: { seed: -1 } }, '/parameters/seed'],
    ['text', { parameters: { seed: 1.5 } }, '/parameters/seed'],
    ['text', { parameters: { steps: 51 } }, '/parameters/steps'],
    ['text', { parameters: { guidance: 'much' } }, '/parameters/guidance'],
    ['text', { parameters: { style: 'oil' } }, '/parameters/style'],
    ['text', { parameters: { negative_prompt: 'far too long' } }, '/parameters/negative_prompt'],
    ['text', { parameters: { colour: 'red' } }, '/parameters/colour'],
    ['text', { parameters: 7 }, '/parameters'],
    ['text', { aspect_ratio: '9:16' }, '/aspect_ratio'],
    ['text', { resolution: '4K' }, '/resolution'],
    ['url', { input_images_urls: Array(3).fill('https://example.com/a.png') }, '/input_images_urls'],
  ];
  for (const [mode, body, pointer] of cases) {
    const reply = await world.send('POST', `/flux/${mode}-generations`, {
      body: { prompt: 'a fox', aspect_ratio: '1:1', ...body },
    });
    assertProblem(reply, 422, 'invalid_request');
    assert.deepEqual(
      (reply.body.errors as { pointer: string }[]).map((error) => error.pointer),
      [pointer],
    );
  }
  const reply = await world.send('POST', '/nb2/text-generations', {
    body: { prompt: 'a fox', aspect_ratio: '1:1', parameters: { seed: 1 } },
  });
  assertProblem(reply, 422, 'invalid_request');
});

test('programs with another API send a model only as many images as it takes', async () => {
  const opened = await openFlux();
  await using world: World = opened.world;
  const image_url = `data:image/png;base64,${plainPng(64, 64).toString('base64')}`;
  const ask = (path: string, fields: object) =>
    fetch(`${world.url}/v1/images/${path}`, {
      method: 'POST',
      headers: { ...bearer(world.key), 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'flux', prompt: 'a fox', ...fields }),
    });
  const edit = (count: number) => ask('edits', { images: Array(count).fill({ image_url }) });
  const assertAnswer = async (answer: Promise<Response>, words: RegExp) => {
    const refused = await answer;
    assert.equal(refused.status, 400);
    assert.match(await refused.text(), words);
  };
  assert.equal((await edit(2)).status, 200);
  await assertAnswer(edit(3), /at most 2/);
  await changeModel(world, 'flux', () => ({ ...flux, modes: ['text'] }));
  await assertAnswer(edit(1), /must be empty: the model takes none/);
  await changeModel(world, 'flux', () => ({ ...flux, modes: ['url'] }));
  await assertAnswer(ask('generations', {}), /must not be empty/);
});

test('an unknown model, and a mode that a model does not have, are 404 and say what there is', async () => {
  const { world: opened } = await openFlux({ worker: false });
  await using world: World = opened;
  const body = { prompt: 'a fox', aspect_ratio: '1:1' };
  const unknown = await world.send('POST', '/dalle/text-generations', { body });
  assertProblem(unknown, 404, 'not_found');
  assert.match(String(unknown.body.detail), /There are: nb, nb2, pro, flux\./);
  assertProblem(
    await world.send('POST', '/dalle/text-generations', { body, headers: bearer('no') }),
    401,
    'key_invalid',
  );
  await changeModel(world, 'flux', () => ({ ...flux, modes: ['text'] }));
  const images = await world.send('POST', '/flux/url-generations', { body });
  assertProblem(images, 404, 'not_found');
  assert.match(String(images.body.detail), /\/flux\/text-generations/);
});

test('explicit parameter defaults make the same request', async () => {
  const { world: opened } = await openFlux({ worker: false });
  await using world: World = opened;
  const key = { 'idempotency-key': 'one' };
  const send = (parameters?: object) =>
    world.send('POST', '/flux/text-generations', {
      body: { prompt: 'a fox', aspect_ratio: '1:1', ...(parameters && { parameters }) },
      headers: key,
    });
  const first = await send();
  assert.equal((await send({ steps: 28 })).body.job_id, first.body.job_id);
  assert.equal((await send({})).body.job_id, first.body.job_id);
  assertProblem(await send({ steps: 29 }), 422, 'idempotency_key_reused');
});

test('a route that does not honour a parameter serves no request with it, which is refused', async () => {
  const provider = new TestProvider();
  const own = {
    id: 'flux/test',
    model: 'flux',
    provider,
    slots: 4,
    timeoutMs: 30_000,
    parameters: { steps: 'steps' },
  };
  await using world = await openWorld({ replacements: { routes: [...testRoutes(provider), own] } });
  await changeModel(world, 'flux', () => flux);
  assert.equal((await world.finished(await world.create('/flux/text-generations'))).status, 'done');
  const reply = await world.send('POST', '/flux/text-generations', {
    body: { prompt: 'a fox', aspect_ratio: '1:1', parameters: { seed: 1 } },
  });
  assertProblem(reply, 503, 'no_route');
  assert.match(String(reply.body.detail), /honours seed, steps/);
});

test('a job keeps the sizes and the price under which it was accepted', async () => {
  const provider = new TestProvider();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  provider.handler = async (request) => {
    await released;
    return provider.answer(request);
  };
  const parameters = { steps: 'steps' };
  const own = { id: 'flux/test', model: 'flux', provider, slots: 1, timeoutMs: 30_000, parameters };
  await using world = await openWorld({ replacements: { routes: [...testRoutes(provider), own] } });
  await changeModel(world, 'flux', () => flux);
  const [running, waiting] = [
    await world.create('/flux/text-generations'),
    await world.create('/flux/text-generations'),
  ];
  await changeModel(world, 'flux', () => ({
    ...flux,
    resolutions: { '1K': { megapixels: 0.25, multipleOf: 16, price: '0.01' } },
  }));
  const changed = await world.create('/flux/text-generations');
  release();
  const made = [];
  for (const jobId of [running, waiting, changed]) {
    const { price, result } = await world.finished(jobId);
    made.push([price, (result as { width: number }).width]);
  }
  assert.deepEqual(made, [
    ['0.03', 1024],
    ['0.03', 1024],
    ['0.01', 512],
  ]);
  assert.equal((await world.balance()).balance, '99.93');
});

test('models are described, in the list and in the document, as soon as they change', async () => {
  const { world: opened } = await openFlux({ worker: false });
  await using world: World = opened;
  const { body } = await world.send('GET', '/models');
  const listed = (body.data as Record<string, unknown>[]).find(({ id }) => id === 'flux');
  assert.deepEqual(listed?.parameters, flux.parameters);
  assert.deepEqual(listed?.aspect_ratios, ['1:1', '16:9', '5:3', 'auto']);
  assert.deepEqual((await world.send('GET', '/models/flux')).body, listed);
  const readPaths = async () => {
    const document = (await (await fetch(`${world.url}/api/v1/openapi.json`)).json()) as { paths: object };
    return Object.keys(document.paths);
  };
  assert.ok((await readPaths()).includes('/flux/text-generations'));
  await changeModel(world, 'flux', () => null);
  assert.ok(!(await readPaths()).includes('/flux/text-generations'));
  assert.equal((await world.send('GET', '/jobs?model=flux')).status, 200);
  const gone = await world.send('GET', '/models/flux');
  assert.deepEqual(
    [gone.status, gone.body.detail],
    [404, 'There is no model "flux". There are: nb, nb2, pro.'],
  );
});

test('a built-in model that an operator changed, titles and numbers of parameters do not break the document', async () => {
  await using world = await openWorld({ worker: false });
  const readSchemas = async () => {
    const answer = await fetch(`${world.url}/api/v1/openapi.json`);
    const document = (await answer.json()) as {
      components: { schemas: Record<string, { properties: object }> };
    };
    return document.components.schemas;
  };
  const { TextGeneration: shared } = await readSchemas();
  const steps = { type: 'integer' as const, title: 'Steps', enum: [4, 8] };
  await changeModel(world, 'nb2', (nb2) => nb2 && { ...nb2, parameters: { steps } });
  await changeModel(world, 'flux', () => ({ ...flux, parameters: { steps: { ...steps, enum: [20, 28] } } }));
  const {
    Nb2TextGeneration: own,
    Nb2Parameters,
    ProTextGeneration,
    FluxParameters,
    Steps,
  } = await readSchemas();
  assert.deepEqual(ProTextGeneration, shared);
  assert.ok(own && 'parameters' in own.properties);
  assert.equal(Steps, undefined);
  for (const [schema, values] of [
    [Nb2Parameters, steps.enum],
    [FluxParameters, [20, 28]],
  ] as const)
    assert.deepEqual(schema?.properties, { steps: { type: 'integer', description: 'Steps', enum: values } });
  assert.equal((await fetch(`${world.url}/docs/reference`)).status, 200);
});

test('keys can be limited to operators’ own models', async () => {
  const { world: opened } = await openFlux({ worker: false });
  await using world: World = opened;
  const { key } = await world.account('only flux', { creditMicros: 1_000_000n, models: ['flux'] });
  const body = { prompt: 'a fox', aspect_ratio: '1:1' };
  const send = (model: string) =>
    world.send('POST', `/${model}/text-generations`, { body, headers: bearer(key) });
  assert.equal((await send('flux')).status, 202);
  assertProblem(await send('nb2'), 403, 'model_forbidden');
});
