import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openCircuit } from '../../src/jobs/routes/circuit-store.ts';
import type { ModelDefinition } from '../../src/upstream/catalog/model-definition.ts';
import { assertProblem } from '../http/support/refusal.ts';
import { type Browser, openOperator } from '../panel/browser.ts';
import { openWorld } from '../world/world.ts';

const apply = 'POST /admin/v1/models';
const restore = 'POST /admin/v1/models/:model_id/restore';
const remove = 'DELETE /admin/v1/models/:model_id';
const params = { model_id: 'nb2' };

/** A change that is based on this version; null for a new model. */
function changeTo(definition: ModelDefinition, version: number | null, id = definition.id) {
  return { models: [definition], if_versions: { [id]: version }, apply: true };
}

async function readModel(operator: Browser, id = 'nb2') {
  const model = await operator.call('GET /panel/operator/models/:model_id', { params: { model_id: id } });
  assert.ok(model.definition);
  return { ...model, definition: model.definition };
}

function priced(definition: ModelDefinition, price: string): ModelDefinition {
  const sizing = definition.resolutions['1K'];
  assert.ok(sizing);
  return { ...definition, resolutions: { ...definition.resolutions, '1K': { ...sizing, price } } };
}

test('an operator changes a model, sees who changed what, and restores a version', async () => {
  await using world = await openWorld();
  const operator = await openOperator(world);
  const { definition, version, versions, locked } = await readModel(operator);
  assert.deepEqual([version, versions.length, locked], [1, 1, null]);

  const changed = priced(definition, '0.05');
  const plan = await operator.call(apply, { body: { ...changeTo(changed, version), apply: false } });
  const changes = plan.differences[0]?.changes;
  assert.deepEqual(changes, { 'resolutions.1K.price': '"0.04" → "0.05"' });
  assert.equal((await readModel(operator)).version, 1, 'comparing changes nothing');

  await operator.call(apply, { body: changeTo(changed, version) });
  const after = await readModel(operator);
  assert.deepEqual(
    [after.version, after.versions[0]?.by, after.versions[0]?.changes],
    [2, 'Operator', changes],
  );
  assert.equal((await world.finished(await world.create())).price, '0.05');
  const { data } = await operator.call('GET /admin/v1/audit', { query: { action: 'model.changed' } });
  assert.deepEqual([data[0]?.subject, data[0]?.detail], ['nb2', changes]);

  const late = await operator.try(apply, { body: changeTo(priced(definition, '9'), version) });
  assertProblem(late, 409, 'changed_meanwhile');

  const version1 = { params: { ...params, version: '1' } };
  const older = await operator.call('GET /admin/v1/models/:model_id/versions/:version', version1);
  assert.deepEqual(older, { version: 1, definition, changes: { 'resolutions.1K.price': '"0.05" → "0.04"' } });
  assertProblem(
    await operator.try(restore, { params, body: { version: 1, if_version: 1 } }),
    409,
    'changed_meanwhile',
  );
  assertProblem(await operator.try(remove, { params, query: { if_version: '1' } }), 409, 'changed_meanwhile');
  await operator.call(restore, { params, body: { version: 1, if_version: 2 } });
  const restored = await readModel(operator);
  assert.deepEqual([restored.version, restored.definition], [3, definition]);
  assert.equal((await world.finished(await world.create())).price, '0.04');
  assertProblem(await operator.try(restore, { params, body: { version: 9 } }), 404, 'not_found');
  for (const number of ['9', '0', 'x']) {
    const read = 'GET /admin/v1/models/:model_id/versions/:version';
    assertProblem(await operator.try(read, { params: { ...params, version: number } }), 404, 'not_found');
  }
});

test('a model may be larger than clients’ bodies', async () => {
  await using world = await openWorld();
  const operator = await openOperator(world);
  const { definition, version } = await readModel(operator);
  const styles = Array.from({ length: 200 }, (_, index) => `style ${index}`);
  const parameter = { type: 'string' as const, enum: styles, default: 'style 0' };
  const large = { ...definition, parameters: { style: parameter, mood: parameter, light: parameter } };
  await operator.call(apply, { body: changeTo(large, version) });
  assert.deepEqual((await readModel(operator)).definition, large);
});

test('mistakes are reported with their place, and change nothing', async () => {
  await using world = await openWorld({ worker: false });
  const operator = await openOperator(world);
  const { definition } = await readModel(operator);
  const route = { provider: 'sketch' };
  const cases: [Partial<Record<keyof ModelDefinition, unknown>>, string][] = [
    [{ ratios: [] }, '/ratios'],
    [{ modes: ['text', 'video'] }, '/modes/1'],
    [{ colour: 'red' } as object, '/colour'],
    [{ id: 'nb3' }, '/if_versions/nb2'],
    [{ routes: [{ provider: 'none' }] }, '/routes/0/provider'],
    [{ routes: [{ connection: 'none' }] }, '/routes/0/connection'],
    [{ routes: [route, { ...route, name: 'b', weight: 0 }] }, '/routes/1/weight'],
    [{ routes: [{ ...route, cost: 'much' }] }, '/routes/0/cost'],
    [{ routes: [{ ...route, cost: { '8K': '0.02' } }] }, '/routes/0/cost/8K'],
    [{ routes: [{ ...route, cost: { '1K': '-1' } }] }, '/routes/0/cost/1K'],
  ];
  for (const [change, pointer] of cases) {
    for (const isApplied of [true, false]) {
      const body = changeTo({ ...definition, ...change } as ModelDefinition, 1, 'nb2');
      const reply = await operator.try(apply, { body: { ...body, apply: isApplied } });
      assertProblem(reply, 422, 'invalid_request');
      const [mistake] = reply.body.errors as { pointer: string }[];
      assert.equal(mistake?.pointer, pointer, JSON.stringify(reply.body.errors));
    }
  }
  assert.equal((await readModel(operator)).version, 1);
});

test('models are added from copies, removed, and brought back', async () => {
  await using world = await openWorld({ worker: false, ownRoutes: true });
  const operator = await openOperator(world);
  const { definition } = await readModel(operator);
  const copy = { ...definition, id: 'nb2-copy', name: 'A copy', routes: [{ provider: 'sketch' }] };
  const add = { body: changeTo(copy, null) };
  await operator.call(apply, add);
  assert.equal((await readModel(operator, 'nb2-copy')).version, 1);
  await world.create('/nb2-copy/text-generations');
  const taken = await operator.try(apply, add);
  assertProblem(taken, 422, 'invalid_request');
  assert.match(String(taken.body.detail), /^\/id is taken by the model A copy/);

  const own = { model_id: 'nb2-copy' };
  await operator.call(remove, { params: own, query: { if_version: '1' } });
  const { removed } = await operator.call('GET /panel/operator/models');
  assert.deepEqual(
    removed.map(({ model }) => model),
    ['nb2-copy'],
  );
  const body = { prompt: 'a fox', aspect_ratio: '1:1' };
  assert.equal((await world.send('POST', '/nb2-copy/text-generations', { body })).status, 404);
  const gone = await operator.call('GET /panel/operator/models/:model_id', { params: own });
  assert.deepEqual([gone.definition, gone.version, gone.versions[0]?.removed], [null, 2, true]);
  await operator.call(apply, add);
  assert.equal((await readModel(operator, 'nb2-copy')).version, 3);
  await world.create('/nb2-copy/text-generations');
});

test('moving a route is one change; an open circuit is tried when an operator says so', async () => {
  await using world = await openWorld({ ownRoutes: true });
  const operator = await openOperator(world);
  const { definition, version, implied_routes: implied } = await readModel(operator);
  assert.deepEqual(implied, [{ provider: 'sketch' }]);
  const routes = [
    { provider: 'sketch', name: 'first', slots: 1 },
    { provider: 'sketch', name: 'second', slots: 2 },
  ];
  await operator.call(apply, { body: changeTo({ ...definition, routes }, version) });
  const moved = { ...definition, routes: routes.toReversed() };
  await operator.call(apply, { body: changeTo(moved, 2) });
  const { versions } = await readModel(operator);
  assert.deepEqual(versions[0]?.changes, { routes: 'first, second → second, first' });
  const shown = await operator.call('GET /panel/operator/models/:model_id', { params });
  assert.deepEqual(
    shown.routes.map(({ route, slots }) => [route, slots]),
    [
      ['nb2/second', 2],
      ['nb2/first', 1],
    ],
  );

  const opening = { state: 'open', openMs: 3_600_000, reason: 'network', detail: null, failures: 1 } as const;
  await world.app.database.transaction((tx) => openCircuit(tx, { route: 'nb2/second', ...opening }));
  const attempt = 'POST /admin/v1/routes/:route/try';
  const stateOf = ({ models }: { models: { routes: { route: string; state: string }[] }[] }) =>
    models.flatMap((model) => model.routes).find(({ route }) => route === 'nb2/second')?.state;
  assert.equal(stateOf(await operator.call('GET /panel/operator/models')), 'open');
  const route = 'nb2/second';
  assert.deepEqual(await operator.call(attempt, { params: { route } }), { route, tried: true });
  assert.equal(stateOf(await operator.call('GET /panel/operator/models')), 'half_open');
  assertProblem(await operator.try(attempt, { params: { route: 'nb2/none' } }), 404, 'not_found');
});

test('what the configuration file sets is locked, with its place', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-locked-'));
  const file = join(folder, 'darkroom.json');
  await writeFile(
    file,
    JSON.stringify({ prices: { nb: { '1K': '0.01' } }, routes: { nb: [{ provider: 'sketch' }] } }),
  );
  try {
    await using world = await openWorld({ worker: false, env: { DARKROOM_CONFIG: file } });
    const operator = await openOperator(world);
    const { definition, version, locked } = await readModel(operator, 'nb');
    assert.deepEqual(locked, { file, places: ['/prices/nb', '/routes/nb'] });
    const own = { model_id: 'nb' };
    const refused = [
      await operator.try(apply, { body: changeTo(priced(definition, '9'), version) }),
      await operator.try(remove, { params: own, query: { if_version: String(version) } }),
      await operator.try(restore, { params: own, body: { version: 1, if_version: version } }),
    ];
    for (const reply of refused) {
      assertProblem(reply, 422, 'invalid_request');
      assert.match(String(reply.body.detail), /\/prices\/nb and \/routes\/nb\. Change it there/);
    }
    assert.equal((await readModel(operator, 'nb')).version, version);
    assert.equal((await readModel(operator, 'nb2')).locked, null);
  } finally {
    await rm(folder, { recursive: true });
  }
});
