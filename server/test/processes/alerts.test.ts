import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDatabase } from '../world/databases.ts';
import { clientOf, createJob, eachOf, finished, textPriceMicros } from './support/client.ts';
import { openInstallation } from './support/installation.ts';

const jobs = 10;

test('two processes that refuse jobs for one limit at once report it once', async () => {
  await using place = await openInstallation(await createDatabase());
  const { key, accountId } = await place.account(BigInt(jobs) * textPriceMicros);
  await place.operator.changeAccountLimits(accountId, { spend_month: '0.01', spend_total: '0.02' });
  const servers = await Promise.all([place.start('all'), place.start('all')]);
  const clients = servers.map((server) => clientOf(server, key));
  await eachOf(Array(jobs * 2).keys(), jobs, async (index) => {
    const client = clients[index % clients.length];
    assert.ok(client);
    await assert.rejects(createJob(client, 'a fox'), /"spend_limit_reached"/);
  });
  const rows = await place.database.read.selectFrom('events').select(['type', 'data']).execute();
  assert.deepEqual(
    rows.map(({ type, data }) => [type, JSON.parse(data ?? '{}').limit]),
    [['spend_limit.reached', 'spend_month']],
  );
});

test('two processes that end one account’s jobs at once report each threshold once', async () => {
  await using place = await openInstallation(await createDatabase());
  const { key, accountId } = await place.account(BigInt(jobs) * textPriceMicros);
  // The fifth image crosses both thresholds, whichever process makes it.
  await place.operator.changeAccountAlerts(accountId, { balance_low: '0.21', spend_near_percent: 50 });
  await place.operator.changeAccountLimits(accountId, { spend_month: '0.40', spend_total: '0.40' });
  const servers = await Promise.all([place.start('all'), place.start('all')]);
  const clients = servers.map((server) => clientOf(server, key));
  await eachOf(Array(jobs).keys(), jobs, async (index) => {
    const client = clients[index % clients.length];
    assert.ok(client);
    assert.equal((await finished(client, await createJob(client, 'a fox'))).status, 'done');
  });
  const rows = await place.database.read
    .selectFrom('events')
    .select(['type', 'data'])
    .where('account_id', '=', accountId)
    .where('data', 'is not', null)
    .execute();
  const told = rows.map(({ type, data }) => `${type} ${JSON.parse(data ?? '{}').limit ?? ''}`.trim());
  assert.deepEqual(told.toSorted(), [
    'balance.low',
    'spend_limit.near spend_month',
    'spend_limit.near spend_total',
  ]);
});
