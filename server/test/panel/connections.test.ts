import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pick } from '../../src/upstream/providers/pick.ts';
import { startComfyUi } from '../emulators/comfyui.ts';
import { openAiKey, startOpenAi } from '../emulators/openai.ts';
import { fluxDev, stableDiffusion } from '../providers/comfyui-workflows.ts';
import { openWorld } from '../world/world.ts';
import { type Browser, openMember, openOperator } from './browser.ts';

const list = 'GET /panel/operator/connections';
const attempt = 'POST /panel/operator/connections/try';
const save = 'PUT /admin/v1/connections/:name';
const check = 'POST /panel/operator/connections/:name/offers';
const serve = 'POST /panel/operator/connections/:name/serve';
const remove = 'DELETE /admin/v1/connections/:name';
const addModel = 'POST /panel/operator/connections/:name/models';
const readWorkflow = 'POST /panel/operator/connections/:name/workflow';
const addWorkflow = 'POST /panel/operator/connections/:name/workflow-models';

const home = { params: { name: 'home' } };

async function refused(browser: Browser, ...asked: Parameters<Browser['try']>): Promise<unknown> {
  const { status, body } = await browser.try(...asked);
  const errors = (body.errors ?? []) as { pointer: string }[];
  return [status, ...errors.map(({ pointer }) => pointer)];
}

test('a provider is tried, connected, given models to serve, and removed with its routes, without a restart', async () => {
  await using upstream = await startOpenAi();
  await using world = await openWorld({ ownRoutes: true });
  const operator = await openOperator(world);
  const overview = () => operator.call('GET /panel/accounts/:account_id/overview');
  assert.equal((await overview()).offers_connection, true);
  const member = await openMember(world, { email: 'ada@example.com' });
  assert.equal((await member.call('GET /panel/accounts/:account_id/overview')).offers_connection, false);

  const given = { provider: 'openai', base_url: upstream.url };
  const trial = async (body: object) => operator.call(attempt, { body });
  const wrong = await trial({ ...given, key: 'sk-wrong' });
  assert.equal(wrong.ok || wrong.problem, 'key_refused');
  const nobody = await trial({ ...given, base_url: 'http://127.0.0.1:9' });
  assert.equal(nobody.ok || nobody.problem, 'unreachable');
  const good = await trial({ ...given, key: openAiKey });
  assert.ok(good.ok);
  assert.equal(good.base_url, `${upstream.url}/v1`);
  assert.deepEqual(
    good.models.map(({ id }) => id),
    ['gpt-image-2', 'flux', 'some-local-model'],
  );
  assert.deepEqual((await operator.call(list)).data, [], 'a trial saves nothing');

  const body = { ...given, base_url: `${upstream.url}/v1`, key: openAiKey, replaces: false };
  const row = await operator.call(save, { ...home, body });
  assert.deepEqual([row.name, row.key, row.locked, row.models], ['home', 'set', null, []]);
  assert.deepEqual(await refused(operator, save, { ...home, body }), [422, '/name']);
  const elsewhere = { provider: 'openai', base_url: 'http://127.0.0.1:9', replaces: true };
  assert.deepEqual(await refused(operator, save, { ...home, body: elsewhere }), [422, '/key']);
  const stolen = await trial({ provider: 'openai', base_url: nobodyListens, name: 'home' });
  assert.equal(stolen.ok || stolen.problem, 'unreachable');
  assert.ok((await trial({ provider: 'openai', base_url: `${upstream.url}/v1`, name: 'home' })).ok);

  const { trial: again, models } = await operator.call(check, home);
  assert.ok(again.ok);
  assert.deepEqual(
    models.map(({ model, recommended, routes, locked }) => [model, recommended, routes, locked]),
    ['nb', 'nb2', 'pro'].map((model) => [model, 'gpt-image-2', [], null]),
  );
  const settings = again.models[0]?.settings ?? {};
  const serving = { models: ['nb', 'nb2'].map((model) => ({ model, settings, place: 'first' })) };
  const served = await operator.call(serve, { ...home, body: serving });
  assert.deepEqual(served, { models: ['nb', 'nb2'], uncovered: [] });
  assert.deepEqual((await operator.call(list)).data[0]?.models, ['nb', 'nb2']);
  assert.equal((await overview()).offers_connection, false);
  const job = await world.finished(await world.create());
  assert.equal(job.status, 'done', String(job.error));
  assert.equal(pick(upstream.of('generate').at(-1)?.json(), 'model'), 'gpt-image-2');

  const local = { id: 'flux', name: 'FLUX', ratios: ['1:1'], max_inputs: 0, prices: { '1K': '0.03' } };
  const added = { ...local, settings: { model: 'flux' } };
  assert.deepEqual((await operator.call(addModel, { ...home, body: added })).models, ['flux']);
  assert.deepEqual(await refused(operator, addModel, { ...home, body: added }), [422, '/id']);
  const other = await world.finished(await world.create('/flux/text-generations'));
  assert.deepEqual([other.status, other.price], ['done', '0.03']);

  assert.deepEqual((await operator.call(list)).data[0]?.models, ['nb', 'nb2', 'flux']);
  await operator.call(remove, { ...home, query: { with_routes: 'true' } });
  assert.deepEqual((await operator.call(list)).data, []);
  assert.equal((await world.finished(await world.create())).status, 'done', 'sketch draws again');
  assert.equal(upstream.of('generate').length, 2);
  assert.equal((await member.try(list)).status, 403);
});

const nobodyListens = 'http://127.0.0.1:9';

test('a new route comes before or after the others, and replaces sketch', async () => {
  await using upstream = await startOpenAi();
  await using world = await openWorld({ ownRoutes: true, worker: false });
  const operator = await openOperator(world);
  for (const name of ['one', 'two']) {
    const body = { provider: 'openai', base_url: `${upstream.url}/v1`, key: openAiKey };
    await operator.call(save, { params: { name }, body: { ...body, replaces: false } });
  }
  const put = (name: string, model: string, place: string) => {
    const models = [{ model: 'pro', settings: { model }, place }];
    return operator.call(serve, { params: { name }, body: { models } });
  };
  const routes = async () => {
    const { models } = await operator.call(check, { params: { name: 'one' } });
    return models
      .find(({ model }) => model === 'pro')
      ?.routes.map(({ connection, upstream: model }) => `${connection} ${model}`);
  };
  await put('one', 'flux', 'first');
  await put('two', 'flux', 'last');
  assert.deepEqual(await routes(), ['one flux', 'two flux']);
  await put('two', 'gpt-image-2', 'first');
  assert.deepEqual(await routes(), ['two gpt-image-2', 'one flux']);
  assert.deepEqual(
    await refused(operator, serve, {
      params: { name: 'one' },
      body: { models: [{ model: 'pro', settings: { colour: 'red' }, place: 'first' }] },
    }),
    [422, '/routes/0/colour'],
  );
});

test('the removal of an unknown connection removes no routes', async () => {
  await using upstream = await startOpenAi();
  await using world = await openWorld({ ownRoutes: true, worker: false });
  const operator = await openOperator(world);
  const connect = () => {
    const body = { provider: 'openai', base_url: `${upstream.url}/v1`, key: openAiKey, replaces: false };
    return operator.call(save, { ...home, body });
  };
  await connect();
  const models = [{ model: 'pro', settings: { model: 'flux' }, place: 'first' }];
  await operator.call(serve, { ...home, body: { models } });
  await operator.call(remove, home);
  const again = { ...home, query: { with_routes: 'true' } };
  assert.equal((await operator.try(remove, again)).status, 404);
  assert.deepEqual((await connect()).models, ['pro'], 'its route works again');
});

test('a ComfyUI workflow becomes a model, with a checkpoint that the server has', async () => {
  await using comfy = await startComfyUi();
  await using world = await openWorld({ ownRoutes: true });
  const operator = await openOperator(world);
  const body = { provider: 'comfyui', base_url: comfy.url, replaces: false };
  await operator.call(save, { ...home, body });

  const editor = await operator.call(readWorkflow, { ...home, body: { workflow: '{"nodes": []}' } });
  assert.equal(editor.ok || editor.problem, 'editor_format');
  assert.deepEqual(await refused(operator, readWorkflow, { ...home, body: { workflow: '{' } }), [
    422,
    '/workflow',
  ]);
  const deep = `${'['.repeat(30)}${']'.repeat(30)}`;
  assert.equal((await operator.try(readWorkflow, { ...home, body: { workflow: deep } })).status, 422);
  const workflow = JSON.stringify(stableDiffusion);
  const found = await operator.call(readWorkflow, { ...home, body: { workflow } });
  assert.ok(found.ok && found.asked);
  assert.deepEqual(found.choice, {
    prompt: ['6.text'],
    width: ['5.width'],
    height: ['5.height'],
    seed: ['3.seed'],
    images: [],
    output: '9',
  });
  assert.deepEqual(found.checkpoints, {
    present: 'v1-5.safetensors',
    files: ['v1-5.safetensors', 'sd_xl_base.safetensors'],
  });

  const model = {
    ...{ id: 'sd', name: 'Stable Diffusion', price: '0.01', ratios: ['1:1', '3:2'], megapixels: 0.25 },
    ...{
      workflow,
      choice: found.choice,
      parameters: ['seed', 'steps'],
      checkpoint: 'sd_xl_base.safetensors',
    },
  };
  const none = { ...model, choice: { ...found.choice, prompt: [] } };
  assert.deepEqual(await refused(operator, addWorkflow, { ...home, body: none }), [422, '/choice']);
  assert.deepEqual(await operator.call(addWorkflow, { ...home, body: model }), {
    models: ['sd'],
    uncovered: [],
  });
  const created = { prompt: 'a heron', aspect_ratio: '1:1', parameters: { steps: 30 } };
  const job = await world.finished(await world.create('/sd/text-generations', created));
  assert.equal(job.status, 'done', String(job.error));
  const sent = pick(comfy.of('submit').at(-1)?.json(), 'prompt');
  const inputs = (node: string, name: string) => pick(sent, node, 'inputs', name);
  assert.deepEqual(
    [inputs('6', 'text'), inputs('5', 'width'), inputs('3', 'steps'), inputs('4', 'ckpt_name')],
    ['a heron', 512, 30, 'sd_xl_base.safetensors'],
  );

  comfy.always('types', { status: 500, body: 'no' });
  const unasked = await operator.call(readWorkflow, {
    ...home,
    body: { workflow: JSON.stringify(fluxDev) },
  });
  assert.ok(unasked.ok && !unasked.asked, 'a server that is down does not stop the reading');
});

test('settings of the file and the environment are shown as locked, and are not changed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-locked-'));
  try {
    const file = join(folder, 'darkroom.json');
    const connections = { cloud: { provider: 'fal', keyVariable: 'CLOUD_KEY' } };
    const routes = { nb: [{ connection: 'cloud', model: 'fal-ai/flux/dev' }] };
    await writeFile(file, JSON.stringify({ connections, routes }));
    const env = { DARKROOM_CONFIG: file, CLOUD_KEY: 'id:secret', BFL_API_KEY: 'a key' };
    await using world = await openWorld({ ownRoutes: true, worker: false, env });
    const operator = await openOperator(world);
    const { data, environment } = await operator.call(list);
    assert.deepEqual(data, [
      {
        name: 'cloud',
        provider: 'fal',
        base_url: null,
        key: 'set',
        source: 'file',
        locked: `/connections/cloud in ${file}, with the key of CLOUD_KEY`,
        changed_at: null,
        changed_by: null,
        author: null,
        models: ['nb'],
      },
    ]);
    assert.deepEqual(environment, [{ provider: 'bfl', variables: ['BFL_API_KEY'], models: ['nb2', 'pro'] }]);
    const params = { name: 'cloud' };
    const body = { provider: 'fal', key: 'other', replaces: true };
    assert.deepEqual(await refused(operator, save, { params, body }), [422, '/name']);
    assert.deepEqual(await refused(operator, remove, { params }), [422, '/name']);
    await operator.call(save, { params: { name: 'mine' }, body: { ...body, replaces: false } });
    const serving = { models: [{ model: 'nb', settings: { model: 'fal-ai/flux/dev' }, place: 'first' }] };
    const own = await operator.try(serve, { params: { name: 'mine' }, body: serving });
    assert.deepEqual(
      [own.status, /set by .*, at \/routes\/nb\. Change it/.test(own.text)],
      [422, true],
      own.text,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});
