import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import type { Database } from '../../src/base/db/database.ts';
import type { Changes, Kept } from '../../src/base/db/open-changes.ts';
import { openCatalogue } from '../../src/upstream/catalog/catalogue.ts';
import type { Connection } from '../../src/upstream/connections/connection.ts';
import { unserveModels } from '../../src/web/api/nouns/connections/unserve-models.ts';
import { addModel, type ServeDeps, serveModels } from '../../src/web/api/screens/connections/serve-models.ts';
import { openAdministration } from '../admin/admin-client.ts';
import { falKey, startFal } from '../emulators/fal.ts';
import { openWorld } from '../world/world.ts';

const flux = (price: string) => ({
  id: 'flux',
  name: 'FLUX',
  modes: ['text' as const],
  ratios: ['1:1'],
  resolutions: { '1K': { megapixels: 1, multipleOf: 16, price } },
  routes: [
    { connection: 'cloud', model: 'fal-ai/flux/dev', sizeBy: 'image_size', pollMs: 20, upscale: true },
  ],
});

test('a key that replaces another after the clock was set back is used', async () => {
  await using fal = await startFal();
  Object.assign(fal.size, { width: 1024, height: 1024 });
  await using world = await openWorld({ ownRoutes: true });
  const admin = (await openAdministration(world))();
  await admin.addConnection('cloud', { provider: 'fal', base_url: fal.url, key: 'revoked-id:revoked' });
  await admin.applyModels({ models: [flux('0.03')] as never, apply: true });

  await world.jump(3_600_000);
  await admin.addConnection('other', { provider: 'fal', base_url: fal.url, key: falKey });
  await world.jump(-3_600_000);
  await admin.addConnection('cloud', { provider: 'fal', base_url: fal.url, key: falKey });

  const job = await world.finished(await world.create('/flux/text-generations'));
  assert.equal(job.status, 'done', `${job.error_code}: ${job.error}`);
});

test('a removed connection takes only its own routes away, until it is there again', async () => {
  await using fal = await startFal();
  Object.assign(fal.size, { width: 1024, height: 1024 });
  await using world = await openWorld({ ownRoutes: true });
  const admin = (await openAdministration(world))();
  const cloud = { provider: 'fal', base_url: fal.url, key: falKey };
  await admin.addConnection('cloud', cloud);
  await admin.addConnection('spare', cloud);
  const [route] = flux('0.03').routes;
  const both = { ...flux('0.03'), routes: [route, { ...route, connection: 'spare' }] };
  await admin.applyModels({ models: [both] as never, apply: true });

  await admin.removeConnection('cloud');
  const job = await world.finished(await world.create('/flux/text-generations'));
  assert.equal(job.status, 'done', `${job.error_code}: ${job.error}`);
  const ofFlux = async () =>
    (await admin.status()).routes.filter(({ model }) => model === 'flux').map(({ route: id }) => id);
  assert.deepEqual(await ofFlux(), ['flux/spare']);
  await admin.addConnection('cloud', cloud);
  assert.deepEqual(await ofFlux(), ['flux/cloud', 'flux/spare']);
});

test('a connection of another provider takes away the routes that lack a field of that provider', async () => {
  await using world = await openWorld({ ownRoutes: true });
  const administration = await openAdministration(world);
  await administration().addConnection('cloud', { provider: 'fal', key: falKey });
  await administration().applyModels({ models: [flux('0.03')] as never, apply: true });

  await administration().removeConnection('cloud');
  await administration().addConnection('cloud', { provider: 'comfyui', base_url: 'http://127.0.0.1:9' });
  const dear = { ...flux('0.05'), id: 'dear', routes: [{ provider: 'sketch' }] };
  await administration().applyModels({ models: [dear] as never, apply: true });
  await world.restart();
  const job = await world.finished(await world.create('/dear/text-generations'));
  assert.equal(job.status, 'done', `${job.error_code}: ${job.error}`);
  const { routes } = await administration().status();
  assert.ok(!routes.some(({ model }) => model === 'flux'));
});

test('a price that is changed while a connection is removed from its models stays changed', async () => {
  await using world = await openWorld({ worker: false });
  const admin = (await openAdministration(world))();
  await admin.addConnection('cloud', { provider: 'fal', key: falKey });
  await admin.applyModels({ models: [flux('0.03')] as never, apply: true });
  const { database } = world.app;
  let isFirst = true;
  const interrupted: Database = Object.create(database, {
    transaction: {
      value: async (...given: Parameters<Database['transaction']>) => {
        if (isFirst) await admin.applyModels({ models: [flux('0.05')] as never, apply: true });
        isFirst = false;
        return database.transaction(...given);
      },
    },
  });
  const deps = { database: interrupted, fileModels: world.config.models, implied: {} };
  await unserveModels(deps, 'cloud', commandLine);
  const { models } = await admin.exportModels();
  const found = models.find(({ id }) => id === 'flux');
  assert.deepEqual(found, { ...flux('0.05'), routes: [] });
});

test('a connection is not given to a model that another process has changed', async () => {
  await using world = await openWorld({ worker: false });
  const { database, changes } = world.app;
  const admin = (await openAdministration(world))();
  await admin.addConnection('cloud', { provider: 'fal', key: falKey });
  await admin.applyModels({ models: [flux('0.03')] as never, apply: true });
  const once: Changes = Object.create(changes, { follow: { value: ({ read }: Kept) => read() } });
  const behind = await openCatalogue(database, once);
  await admin.applyModels({ models: [flux('0.05'), { ...flux('0.05'), id: 'new' }] as never, apply: true });
  const deps: ServeDeps = {
    ...{ database, fileModels: world.config.models, implied: {}, catalogue: behind },
    routes: { list: () => [], settings: () => [], servantsOf: () => undefined, sourceOf: () => undefined },
    openRouteCheck: async () => ({ checkRoutes: () => [], gapsOf: () => [] }),
    followChanges: () => changes.refresh(),
  };
  const home: Connection = { name: 'home', provider: 'sketch', source: 'operator' };
  const settings = { model: 'any' };
  const models = [{ model: 'flux', settings, place: 'first' as const }];
  const refusal = { code: 'changed_meanwhile' };
  await assert.rejects(serveModels(deps, home, { models, by: commandLine }), refusal);
  const added = { id: 'new', name: 'New', settings, ratios: ['1:1'], max_inputs: 0, prices: { '1K': '1' } };
  await assert.rejects(addModel(deps, home, { added, by: commandLine }), refusal);
  const known = (await admin.exportModels()).models.filter(({ id }) => id === 'flux' || id === 'new');
  assert.deepEqual(known, [flux('0.05'), { ...flux('0.05'), id: 'new' }]);
});
