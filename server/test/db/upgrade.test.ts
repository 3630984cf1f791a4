import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type App, startApp } from '../../src/app.ts';
import { migrations } from '../../src/base/db/migrating/migrate.ts';
import { readConfig } from '../../src/config/config.ts';
import { findViolations } from '../../src/jobs/upkeep/verify/find-violations.ts';
import { planOfDatabase } from '../../src/start/migrate-database.ts';
import type { PublicStatus } from '../../src/web/api/nouns/public-status/public-status.ts';
import { TestProvider } from '../world/provider.ts';
import { silentLog } from '../world/silent-log.ts';
import { testRoutes } from '../world/world.ts';
import { openReleased } from './support/open-released.ts';

const key = 'dk_aXxCuYV9ACN6A4DbffO5oSXSRMKqqUk02bI6dg';
const idOf = (end: string) => `01980000-0000-7000-8000-0000000000${end}`;

async function openOld() {
  const place = await openReleased('0.1.0');
  const start = async () => {
    const replacements = { log: silentLog, routes: testRoutes(new TestProvider()) };
    return startApp(readConfig({ ...place.env, DARKROOM_STATUS_PAGE: 'true' }), replacements);
  };
  return { ...place, start };
}

async function ask(app: App, method: string, path: string, more: RequestInit = {}) {
  const headers = { authorization: `Bearer ${key}`, ...more.headers };
  const answer = await fetch(`${app.url}/api/v1${path}`, { ...more, method, headers });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

test('a database of 0.1.0 is upgraded by the first start: keys, money, jobs, repeats and webhooks are unchanged', async () => {
  await using place = await openOld();
  const plan = await planOfDatabase(place.env);
  assert.deepEqual([plan.from, plan.to], [12, migrations.length]);
  await using app = await place.start();

  const waited = await ask(app, 'GET', `/jobs/${idOf('c3')}`, { headers: { prefer: 'wait=30' } });
  assert.equal(waited.body.status, 'done', 'what waited is made');
  const { balance, reserved } = (await ask(app, 'GET', '/balance')).body;
  assert.deepEqual([balance, reserved], ['9.92', '0.00']);
  const done = await ask(app, 'GET', `/jobs/${idOf('c1')}`);
  assert.deepEqual([done.body.status, done.body.aspect_ratio], ['done', '1:1']);
  const failed = await ask(app, 'GET', `/jobs/${idOf('c2')}`);
  assert.deepEqual([failed.body.status, failed.body.error_code], ['failed', 'safety_blocked']);

  const again = await ask(app, 'POST', '/nb2/text-generations', {
    headers: { 'content-type': 'application/json', 'idempotency-key': 'order-1' },
    body: JSON.stringify({ prompt: 'a lighthouse', aspect_ratio: '1:1' }),
  });
  assert.deepEqual([again.status, again.body.job_id], [202, idOf('c1')], 'a repeat finds its job');
  const webhook = await ask(app, 'GET', '/webhooks/default');
  assert.equal(webhook.body.url, 'https://shop.example/hook');
  const found = await ask(app, 'GET', '/jobs?q=lighthouse');
  assert.equal((found.body.data as unknown[]).length, 1, 'searches find older jobs');
  assert.deepEqual(await findViolations(app.database.read), []);

  const { incidents } = (await (await fetch(`${app.url}/status.json`)).json()) as PublicStatus;
  assert.deepEqual(
    incidents.map(({ model, reason, ended_at }) => [model, reason, ended_at]),
    [['nb', 'A new machine', null]],
    'pauses in force are incidents, those of accounts are not',
  );
  assert.match(incidents[0]?.incident_id ?? '', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});

test('of two versions side by side, the older one starts and continues if the newer one only added; otherwise it is refused', async () => {
  await using place = await openOld();
  await using app = await place.start();
  const version = migrations.length + 1;
  const newer = { version, name: 'newer', applied_at: 0, fingerprint: 'of the newer', is_expansion: 1 };
  await app.database.transaction((tx) => tx.insertInto('migrations').values(newer).execute());
  {
    await using beside = await place.start();
    assert.equal((await ask(beside, 'GET', '/balance')).status, 200);
    assert.deepEqual((await planOfDatabase(place.env)).pending, []);
  }
  await app.database.transaction((tx) =>
    tx.updateTable('migrations').set({ is_expansion: 0 }).where('version', '=', version).execute(),
  );
  await assert.rejects(place.start(), {
    name: 'DatabaseRefused',
    message: new RegExp(`schema version ${version}, newer than .*: use the newer program\\.`),
  });
  assert.equal((await ask(app, 'GET', '/balance')).status, 200, 'what runs goes on');
});
