import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseUnavailable } from '../../src/base/db/database.ts';
import { openChanges } from '../../src/base/db/open-changes.ts';
import { openLiveRoutes } from '../../src/jobs/routes/live-routes.ts';
import { openCatalogue } from '../../src/upstream/catalog/catalogue.ts';
import { openAdministration } from '../admin/admin-client.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld } from '../world/world.ts';
import { eventually, guard } from './support.ts';

test('routes follow a change although the database failed while it was read', async () => {
  await using world = await openWorld({ worker: false });
  const { database } = world.app;
  const { routeEnvironment: environment, providerKeys: keys } = world.config;
  await using changes = openChanges(database, silentLog);
  const catalogue = await openCatalogue(database, changes);
  let failures = 0;
  const readConnections = async () => {
    if (failures-- > 0) throw new DatabaseUnavailable('the connection was closed');
    return new Map();
  };
  await using routes = await openLiveRoutes({
    ...{ catalogue, environment, keys, readConnections, guard, log: silentLog, works: false },
  });
  const admin = (await openAdministration(world))();
  const nb2 = (await admin.exportModels()).models.find(({ id }) => id === 'nb2');
  assert.ok(nb2);
  failures = 1;
  const changed = { ...nb2, routes: [{ provider: 'sketch', name: 'mine' }] };
  await admin.applyModels({ models: [changed], apply: true });
  await eventually(
    async () => routes.settings().map(({ id }) => id),
    (ids) => ids.includes('nb2/mine'),
  );
  assert.ok(failures < 1, 'the first read failed');
});
