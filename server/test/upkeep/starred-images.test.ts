import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { dayMs } from '../../src/accounts/retention/retention.ts';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { objectsOf } from '../../src/images/object-keys.ts';
import { eraseAccount } from '../../src/jobs/upkeep/erase-account.ts';
import { sweepRemovals } from '../../src/jobs/upkeep/sweep-removals.ts';
import { openAdministration } from '../admin/admin-client.ts';
import { keep, stepAtOnce } from '../world/expire.ts';
import { openWorld, type World } from '../world/world.ts';

const stars = 2;
let world: World;
before(async () => {
  world = await openWorld({ worker: true, config: { retention: { stars } } });
});
after(() => world[Symbol.asyncDispose]());

const keepNow = (days = {}) => keep(world.app, { stars, ...days });

async function makeStarred(
  count: number,
  headers: Record<string, string> = {},
  fields: object = {},
): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) {
    const jobId = await world.create(undefined, fields, headers);
    await world.finished(jobId, headers.authorization?.slice('Bearer '.length));
    await star(jobId, 'PUT', headers);
    ids.push(jobId);
  }
  return ids;
}

const star = (jobId: string, method: 'PUT' | 'DELETE' = 'PUT', headers: Record<string, string> = {}) =>
  world.send(method, `/jobs/${jobId}/star`, { headers });

async function isThere(jobId: string): Promise<boolean> {
  const { status, body } = await world.send('GET', `/jobs/${jobId}`);
  const link = status === 200 && (body.result as { image_url?: string }).image_url;
  return link ? (await fetch(link)).status === 200 : false;
}

async function keptUntil(jobId: string) {
  const { body } = await world.send('GET', `/jobs/${jobId}?include=tags`);
  const listed = await world.send('GET', '/jobs?limit=100');
  const row = (listed.body.data as { job_id: string; kept_until?: unknown }[]).find(
    ({ job_id }) => job_id === jobId,
  );
  assert.deepEqual(row?.kept_until, body.kept_until, 'lists say the same');
  return body.kept_until;
}

test('the first starred images stay beyond their days, and every answer says so; the others are removed', async () => {
  const plain = await world.create();
  const { finished_at: end } = await world.finished(plain);
  const hook = { callback_url: 'https://example.com/hook' };
  const [first = '', second = '', third = ''] = await makeStarred(3, {}, hook);
  await world.app.database.transaction((tx) =>
    sql`update deliveries set status = 'cancelled', failure = 'test', worker = null, ended_at = created_at
      where status = 'pending'`.execute(tx),
  );
  assert.equal(await keptUntil(plain), new Date(Date.parse(String(end)) + 30 * dayMs).toISOString());
  assert.deepEqual(
    [await keptUntil(first), await keptUntil(second), typeof (await keptUntil(third))],
    [null, null, 'string'],
  );
  assert.equal((await star(first)).body.kept_until, null);
  assert.equal(typeof (await star(third)).body.kept_until, 'string', 'the bound is told to whoever stars');
  const { body: models } = await world.send('GET', '/models');
  assert.equal((models.retention as { starred: number }).starred, stars);

  await world.elapse(31 * dayMs);
  const { jobs, deliveries } = await keepNow();
  assert.deepEqual([jobs, deliveries], [2, undefined], 'deliveries stay with their jobs');
  assert.deepEqual(await keepNow(), {}, 'a second look finds nothing');
  assert.deepEqual(await Promise.all([plain, first, second, third].map(isThere)), [false, true, true, false]);

  await star(first, 'DELETE');
  assert.equal(typeof (await keptUntil(first)), 'string');
  assert.equal((await keepNow()).jobs, 1);
  assert.deepEqual(await Promise.all([first, second].map(isThere)), [false, true]);
  await star(second, 'DELETE');
  await keepNow();
});

test('starred images also stay if images have fewer days than jobs, and are removed without their star or beyond a lower bound', async () => {
  const days = { pictures: 3 };
  const [first = '', second = ''] = await makeStarred(2);
  const plain = await world.create();
  await world.finished(plain);
  await world.elapse(4 * dayMs);
  assert.equal((await keepNow(days)).pictures, 1);
  assert.deepEqual(await keepNow(days), {}, 'a second look finds nothing');
  assert.deepEqual(await Promise.all([first, second, plain].map(isThere)), [true, true, false]);

  await star(first, 'DELETE');
  assert.equal((await keepNow(days)).pictures, 1);
  assert.deepEqual(await Promise.all([first, second].map(isThere)), [false, true]);
  await keep(world.app, { ...days, stars: 0 });
  assert.equal(await isThere(second), false);
  await world.elapse(11 * 60_000);
  await sweepRemovals({ ...world.app, step: stepAtOnce(world.app.database) });
  for (const id of [first, second])
    assert.deepEqual(await Array.fromAsync(world.app.images.list(objectsOf('results', id))), []);
});

test('prompts and inputs of a starred image keep their own days', async () => {
  const [starred = ''] = await makeStarred(1);
  await world.elapse(2 * dayMs);
  assert.ok((await keepNow({ prompts: 1 })).prompts);
  const { body } = await world.send('GET', `/jobs/${starred}`);
  assert.equal(body.prompt, '');
  assert.ok(await isThere(starred));
});

test('a deleted image does not count as starred, and erasing an account deletes starred images', async () => {
  const { accountId, key } = await world.account('with stars', { creditMicros: 1_000_000n });
  const headers = { authorization: `Bearer ${key}` };
  const ids = await makeStarred(3, headers);
  const [first = '', , third = ''] = ids;
  const { body: before } = await world.send('GET', `/jobs/${third}?include=tags`, { headers });
  assert.equal(typeof before.kept_until, 'string');
  await world.send('DELETE', `/jobs/${first}/image`, { headers });
  const { body: after } = await world.send('GET', `/jobs/${third}?include=tags`, { headers });
  assert.equal(after.kept_until, null);

  const verbs = (await openAdministration(world))();
  await verbs.changeRetention(accountId, { pictures: 1 });
  await world.elapse(2 * dayMs);
  await keepNow();
  const signals = { routes: { list: () => [] }, onSettled: () => {}, onTakenAway: () => {} };
  const deps = { ...world.app, ...signals, mayRemove: async () => true };
  await eraseAccount(deps, { account: accountId, name: 'with stars' }, commandLine);
  for (const id of ids)
    assert.deepEqual(await Array.fromAsync(world.app.images.list(objectsOf('results', id))), []);
  for (const table of ['job_stars', 'kept_images'] as const) {
    const rows = await world.app.database.read
      .selectFrom(table)
      .select('job_id')
      .where('account_id', '=', accountId)
      .execute();
    assert.deepEqual(rows, []);
  }
});
