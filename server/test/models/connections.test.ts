import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { processorWaitMs } from '../../src/base/std/lateness/processor-wait.ts';
import { pick } from '../../src/upstream/providers/pick.ts';
import { startComfyUi } from '../emulators/comfyui.ts';
import { falKey, startFal } from '../emulators/fal.ts';
import { type Client, clientOf, finished } from '../processes/support/client.ts';
import { type Installation, openInstallation } from '../processes/support/installation.ts';
import { createDatabase } from '../world/databases.ts';

const flux = {
  id: 'flux',
  name: 'FLUX',
  modes: ['text', 'url'],
  maxInputs: 1,
  ratios: ['1:1', '16:9'],
  auto: true,
  resolutions: { '1K': { megapixels: 1, multipleOf: 16, price: '0.03' } },
  parameters: {
    seed: { type: 'integer', minimum: 0 },
    steps: { type: 'integer', minimum: 1, maximum: 50, default: 28 },
    guidance: { type: 'number', minimum: 0, maximum: 20, default: 3.5 },
    strength: { type: 'number', minimum: 0, maximum: 1 },
    negative_prompt: { type: 'string', maxLength: 1_000 },
    lora: { type: 'string', enum: ['none', 'film'] },
  },
};

const graph = {
  '3': {
    class_type: 'KSampler',
    inputs: { seed: 1, steps: 20, cfg: 7, denoise: 1, positive: ['6', 0], negative: ['7', 0] },
  },
  '5': {
    class_type: 'EmptyLatentImage',
    inputs: { width: '{{width}}', height: '{{height}}', batch_size: 1 },
  },
  '6': { class_type: 'CLIPTextEncode', inputs: { text: '{{prompt}}' } },
  '7': { class_type: 'CLIPTextEncode', inputs: { text: '' } },
  '8': { class_type: 'LoraLoader', inputs: { lora_name: 'none' } },
  '9': { class_type: 'SaveImage', inputs: { images: ['3', 0] } },
};
const withImage = { ...graph, '10': { class_type: 'LoadImage', inputs: { image: '{{image1}}' } } };

const atHome = {
  connection: 'home',
  model: 'flux-dev',
  workflows: [graph, withImage],
  pollMs: 20,
  upscale: true,
  parameters: {
    seed: '3.seed',
    steps: '3.steps',
    guidance: '3.cfg',
    strength: '3.denoise',
    negative_prompt: '7.text',
    lora: '8.lora_name',
  },
};
const inTheCloud = {
  connection: 'cloud',
  model: 'fal-ai/flux/dev',
  sizeBy: 'image_size',
  pollMs: 20,
  upscale: true,
  parameters: { seed: 'seed', steps: 'num_inference_steps', guidance: 'guidance_scale' },
};

test('connections and a model with six parameters, added while the servers run, are used within a second', async () => {
  await using comfy = await startComfyUi();
  await using fal = await startFal();
  Object.assign(comfy.size, { width: 1024, height: 1024 });
  await using place = await openInstallation(await createDatabase());
  const { operator } = place;
  const servers = [await place.start('api'), await place.start('worker')];
  const client = clientOf(servers[0] ?? { url: '' }, (await place.account(10_000_000n)).key);

  await operator.addConnection('home', { provider: 'comfyui', base_url: comfy.url });
  await operator.addConnection('cloud', { provider: 'fal', base_url: fal.url, key: falKey });
  assert.equal((await operator.checkConnection('home')).ok, true);
  const model = { ...flux, routes: [atHome, inTheCloud] };
  const plan = await operator.applyModels({ models: [model] });
  assert.deepEqual(
    plan.differences.map(({ model, action }) => [model, action]),
    [['flux', 'add']],
  );
  assert.ok(
    !(await operator.exportModels()).models.some(({ id }) => id === 'flux'),
    'a dry run changes nothing',
  );
  await operator.applyModels({ models: [model], apply: true });
  // Time in which other processes use the processors does not count.
  const undisturbedMs = () => performance.now() - processorWaitMs(servers[0]?.pid);
  const began = undisturbedMs();
  while (!(await listed(client)).includes('flux'))
    assert.ok(undisturbedMs() - began < 5_000, 'the model did not appear');

  const all = { seed: 7, steps: 30, guidance: 4.5, strength: 0.5, negative_prompt: 'blur', lora: 'film' };
  const job = await make(client, { parameters: all });
  assert.equal(job.status, 'done', String(job.error));
  assert.deepEqual(job.parameters, all);
  const sent = pick(comfy.of('submit').at(-1)?.json(), 'prompt');
  const sampler = { seed: 7, steps: 30, cfg: 4.5, denoise: 0.5 };
  for (const [name, value] of Object.entries(sampler))
    assert.equal(pick(sent, '3', 'inputs', name), value, name);
  assert.equal(pick(sent, '7', 'inputs', 'text'), 'blur');
  assert.equal(pick(sent, '8', 'inputs', 'lora_name'), 'film');

  await operator.applyModels({ models: [{ ...flux, routes: [inTheCloud] }], apply: true });
  let route: unknown;
  for (let tries = 0; route !== 'flux/cloud' && tries < 50; tries += 1) {
    const made = await make(client, { parameters: { seed: 9 } });
    assert.equal(made.status, 'done', String(made.error));
    route = await routeOf(place, String(made.job_id));
  }
  const asked = fal.of('submit').at(-1)?.json();
  assert.deepEqual(
    [pick(asked, 'seed'), pick(asked, 'num_inference_steps'), pick(asked, 'guidance_scale')],
    [9, 28, 3.5],
  );

  const shown = await askPanel(servers[0]?.url ?? '', (await operator.panelLink()).url, fal.url);
  const outputs = [];
  for (const server of servers) {
    server.signal('SIGTERM');
    const { stdout, stderr } = await server.ended;
    outputs.push(stdout, stderr);
  }
  const seen = JSON.stringify([
    await operator.listConnections(),
    await operator.exportModels(),
    await operator.modelHistory('flux'),
    await place.database.read.selectFrom('audit_log').selectAll().execute(),
    await place.database.read.selectFrom('connections').selectAll().execute(),
    ...outputs,
    ...shown,
  ]);
  for (const secret of [falKey, 'emulated-secret', Buffer.from(falKey).toString('base64')])
    assert.ok(!seen.includes(secret), 'the key was shown');
  if (place.database.kind === 'sqlite') {
    const file = await readFile(join(place.env.DARKROOM_DATA_DIR ?? '', 'darkroom.db'), 'latin1');
    assert.ok(!file.includes('emulated-secret'), 'the key stands in the database');
  }
});

async function askPanel(url: string, link: string, falUrl: string): Promise<string[]> {
  const opened = await fetch(`${url}/panel/links/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ token: link.split('#')[1] }),
  });
  const cookie = opened.headers.getSetCookie().map((line) => line.split(';')[0]);
  const shown: string[] = [];
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...{ cookie: cookie.join('; '), origin: url, accept: 'text/html, application/json' },
        'darkroom-panel': '1',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    shown.push(JSON.stringify([...response.headers]), text);
    return { status: response.status, text };
  };
  const given = { provider: 'fal', base_url: falUrl, key: falKey };
  const at = '/panel/operator/connections';
  for (const [path, body, status] of [
    [`${at}/try`, given, 200],
    [`${at}/try`, { provider: 'fal', base_url: falUrl, name: 'cloud' }, 200],
    // Every way in which a body with a key can be refused.
    [`${at}/try`, { ...given, provider: 'nonsense' }, 422],
    [`${at}/try`, { ...given, colour: 'red' }, 422],
    [`${at}/try`, { ...given, base_url: `${falUrl}/elsewhere` }, 200],
    ['PUT /admin/v1/connections/X!', { ...given, replaces: false }, 422],
    ['PUT /admin/v1/connections/panel', { ...given, replaces: false }, 200],
    ['PUT /admin/v1/connections/panel', { ...given, replaces: true }, 200],
    ['/admin/v1/connections/panel/check', undefined, 200],
    [`${at}/panel/offers`, undefined, 200],
    [
      `${at}/panel/serve`,
      { models: [{ model: 'flux', settings: { model: 'fal-ai/flux-2' }, place: 'last' }] },
      200,
    ],
  ] as const) {
    const [method, to] = path.startsWith('PUT ') ? ['PUT', path.slice(4)] : ['POST', path];
    const reply = await ask(method, to, body);
    assert.equal(reply.status, status, `${path}: ${reply.text}`);
  }
  for (const path of [
    ...[at, '/panel/operator/models', '/panel/operator/models/flux'],
    ...['/admin/v1/connections', '/admin/v1/models', '/admin/v1/audit'],
  ])
    assert.equal((await ask('GET', path)).status, 200, path);
  for (const path of ['/operator/connections', '/operator/connect?name=panel'])
    assert.match((await ask('GET', path)).text, /<html/);
  assert.equal((await ask('DELETE', '/admin/v1/connections/panel?with_routes=true')).status, 204);
  assert.ok(shown.join().includes('connection.changed'), 'the audit log was asked');
  return shown;
}

test('mistakes in a model are refused with their place, and nothing is changed', async () => {
  await using place = await openInstallation(await createDatabase());
  const { operator } = place;
  const refused = async (change: object, pointer: string) => {
    const error = await operator.applyModels({ models: [{ ...flux, ...change }], apply: true }).then(
      () => assert.fail(`it was accepted: ${JSON.stringify(change)}`),
      (reason: { details?: { errors?: { pointer: string }[] } }) => reason,
    );
    assert.deepEqual(
      error.details?.errors?.map((one) => one.pointer),
      [pointer],
      JSON.stringify(change),
    );
  };
  await refused({ id: 'jobs' }, '/id');
  await refused({ ratios: ['wide'] }, '/ratios/0');
  await refused({ resolutions: { '1K': { price: '0.03' } } }, '/resolutions/1K');
  await refused({ resolutions: { '1K': { price: 'free', megapixels: 1 } } }, '/resolutions/1K/price');
  await refused({ parameters: { seed: { type: 'integer', default: 'x' } } }, '/parameters/seed/default');
  await refused({ colour: 'red' }, '/colour');
  await refused({ routes: [{ connection: 'nowhere', model: 'x' }] }, '/routes/0/connection');
  await refused({ routes: [{ provider: 'sketch', model: 'x' }] }, '/routes/0/model');
  await refused(
    { routes: [{ provider: 'sketch', parameters: { colour: 'seed' } }] },
    '/routes/0/parameters/colour',
  );
  await refused(
    { routes: [{ provider: 'sketch', parameters: { steps: 'steps' } }] },
    '/routes/0/parameters/steps',
  );
  await refused({ id: 'fast' }, '/id');
  await assert.rejects(operator.addConnection('x', { provider: 'nonsense' }), /\/provider must be one of/);
  await assert.rejects(operator.addConnection('X!', { provider: 'fal' }), /\/name/);
  assert.deepEqual(await operator.listConnections(), []);
  assert.deepEqual(
    (await operator.listModels()).map(({ id, version }) => [id, version]),
    [
      ['nb', 1],
      ['nb2', 1],
      ['pro', 1],
    ],
  );
});

test('every version is kept with its author and its changes, and may be restored', async () => {
  await using place = await openInstallation(await createDatabase());
  const { operator } = place;
  const route = { provider: 'sketch' };
  await operator.applyModels({ models: [{ ...flux, parameters: {}, routes: [route] }], apply: true });
  await operator.applyModels({
    models: [{ ...flux, parameters: {}, name: 'FLUX.1', routes: [route] }],
    apply: true,
  });
  await operator.removeModel('flux');
  await operator.restoreModel('flux', 1);
  const history = await operator.modelHistory('flux');
  assert.deepEqual(
    history.map(({ version, by, removed }) => [version, by, removed]),
    [
      [4, 'the command line', false],
      [3, 'the command line', true],
      [2, 'the command line', false],
      [1, 'the command line', false],
    ],
  );
  assert.deepEqual(history[2]?.changes, { name: '"FLUX" → "FLUX.1"' });
  const actions = await place.database.read.selectFrom('audit_log').select(['action', 'subject']).execute();
  assert.deepEqual(
    actions.map(({ action, subject }) => [action, subject]),
    ['added', 'changed', 'removed', 'added'].map((what) => [`model.${what}`, 'flux']),
  );
});

test('a job that waits for a removed model fails, and costs nothing', async () => {
  await using fal = await startFal();
  await using place = await openInstallation(await createDatabase());
  const { operator } = place;
  await operator.addConnection('cloud', { provider: 'fal', base_url: fal.url, key: falKey });
  const routes = [{ ...inTheCloud, parameters: {}, slots: 1 }];
  await operator.applyModels({ models: [{ ...flux, parameters: {}, routes }], apply: true });
  const client = clientOf(await place.start('all'), (await place.account(1_000_000n)).key);
  const create = async (prompt: string) => {
    const body = { prompt, aspect_ratio: '1:1' };
    return String((await client('POST', '/flux/text-generations', { body })).body.job_id);
  };
  const gate = Promise.withResolvers<void>();
  fal.answer(
    'submit',
    gate.promise.then(() => 'slow' as const),
  );
  const begun = fal.arrived('submit');
  const running = await create('a fox');
  await begun;
  const waiting = await create('a fox');
  await operator.removeModel('flux');
  assert.equal((await finished(client, waiting)).error_code, 'provider_rejected');
  gate.resolve();
  assert.equal((await finished(client, running)).status, 'done');
  assert.equal((await client('GET', '/balance')).body.available, '0.97');
});

test('prices that change a hundred times under load: each job is captured at the price it was accepted with', async () => {
  await using place = await openInstallation(await createDatabase());
  const { operator } = place;
  const sized = (price: string) => ({
    ...flux,
    parameters: {},
    resolutions: { '1K': { megapixels: 0.01, price } },
    routes: [{ provider: 'sketch' }],
  });
  await operator.applyModels({ models: [sized('0.01')], apply: true });
  const { key, accountId } = await place.account(1_000_000_000n);
  const first = await place.start('all');
  const second = await place.start('all');
  const clients = [clientOf(first, key), clientOf(second, key)];
  let isOver = false;
  const created: string[] = [];
  const load = clients.map(async (client) => {
    while (!isOver) {
      const body = { prompt: 'a fox', aspect_ratio: '1:1' };
      const reply = await client('POST', '/flux/text-generations', { body });
      created.push(String(reply.body.job_id));
    }
  });
  for (let edit = 1; edit <= 100; edit += 1) {
    while (created.length < edit) await nextTurn();
    await operator.applyModels({ models: [sized(`0.${String(edit).padStart(2, '0')}1`)], apply: true });
  }
  isOver = true;
  await Promise.all(load);
  assert.ok(created.length >= 100, `${created.length} jobs`);
  const prices = new Set<unknown>();
  for (const jobId of created) {
    const body = await finished(clients[0] as Client, jobId);
    assert.equal(body.status, 'done', String(body.error));
    prices.add(body.price);
  }
  assert.ok(prices.size > 1, 'no job saw a change');
  const captured = await place.database.read
    .selectFrom('jobs')
    .innerJoin('entries', 'entries.job_id', 'jobs.id')
    .select([
      'jobs.price_micros as price_micros',
      'entries.amount_micros as amount_micros',
      'entries.kind as kind',
    ])
    .where('jobs.account_id', '=', accountId)
    .execute();
  assert.equal(captured.filter(({ kind }) => kind === 'capture').length, created.length);
  for (const { price_micros, amount_micros } of captured) assert.equal(amount_micros, price_micros);
  assert.equal((await operator.verify()).ok, true);
});

async function listed(client: Client): Promise<string[]> {
  const { body } = await client('GET', '/models');
  return (body.data as { id: string }[]).map(({ id }) => id);
}

async function make(client: Client, more: object): Promise<Record<string, unknown>> {
  const body = { prompt: 'a fox', aspect_ratio: '1:1', ...more };
  const created = await client('POST', '/flux/text-generations', { body });
  assert.equal(created.status, 202, JSON.stringify(created.body));
  return finished(client, String(created.body.job_id));
}

async function routeOf({ database }: Installation, jobId: string): Promise<string | null | undefined> {
  const row = await database.read
    .selectFrom('jobs')
    .select('route')
    .where('id', '=', jobId)
    .executeTakeFirst();
  return row?.route;
}
