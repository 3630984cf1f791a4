import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lockLivingAccountOf } from '../../src/accounts/account-of.ts';
import { createKey } from '../../src/accounts/create-key.ts';
import { rollKey } from '../../src/accounts/roll-key.ts';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { changeLimits } from '../../src/money/limits/change-limits.ts';
import { noDefaults } from '../../src/money/limits/limit.ts';
import { bearer } from '../http/support/requests.ts';
import { somebodyWaits } from '../world/hold-transaction.ts';
import { openWorld, type World } from '../world/world.ts';

const job = 40_000n;

test('a job that fails after its key was rolled twice no longer counts against the newest key', async () => {
  await using world = await openWorld({ worker: false });
  const { create, roll, used } = keysOf(world);
  const old = await createKey(
    { database: world.app.database, clock: world.clock },
    { account: world.accountId, limits: { total: job, open: 5n } },
  );
  const id = await create(old.key);
  const newer = await roll(old.keyId);
  const newest = await roll(newer.keyId);
  assert.deepEqual(await used(newest.keyId), { open: 0n, total: job });
  await cancel(world, id);
  for (const { keyId } of [old, newer, newest])
    assert.deepEqual(await used(keyId), { open: 0n, total: 0n }, keyId);
  await create(newest.key);
});

test('a key that was rolled cannot be rolled again, even in its overlap', async () => {
  await using world = await openWorld({ worker: false });
  const { roll } = keysOf(world);
  const deps = { database: world.app.database, clock: world.clock };
  const { keyId } = await createKey(deps, { account: world.accountId });
  const next = await roll(keyId, 60_000);
  await assert.rejects(roll(keyId, 60_000), /Roll the key that replaced it/);
  await roll(next.keyId);
});

test('of several rolls at once that end the key immediately, only one succeeds', async () => {
  await using world = await openWorld({ worker: false });
  const { roll } = keysOf(world);
  const { keyId } = await createKey(
    { database: world.app.database, clock: world.clock },
    { account: world.accountId },
  );
  const ends = await Promise.allSettled([roll(keyId), roll(keyId), roll(keyId), roll(keyId)]);
  assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1);
});

test('a job that the old key created after the roll never counted against the new key', async () => {
  await using world = await openWorld({ worker: false });
  const { create, roll, used } = keysOf(world);
  const old = await createKey(
    { database: world.app.database, clock: world.clock },
    { account: world.accountId, limits: { total: 3n * job } },
  );
  await create(old.key);
  const next = await roll(old.keyId, 60_000);
  const late = await create(old.key);
  await create(next.key);
  await cancel(world, late);
  assert.deepEqual(await used(next.keyId), { total: 2n * job });
});

test('a job that waits for the account while its key is rolled never counts against the new key', {
  skip: process.env.TEST_DATABASE_URL === undefined && 'needs PostgreSQL: SQLite has one writer at a time',
}, async () => {
  await using world = await openWorld({ worker: false });
  const { create, used } = keysOf(world);
  const { accountId } = world;
  const { database } = world.app;
  const old = await createKey(
    { database, clock: world.clock },
    { account: accountId, limits: { total: 3n * job } },
  );
  await create(old.key);
  const [locked, inserted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const rolling = database.transaction(async (tx) => {
    await lockLivingAccountOf(tx, accountId);
    locked.resolve();
    await inserted.promise;
    const inside = ((work: (own: typeof tx) => Promise<unknown>) => work(tx)) as typeof database.transaction;
    return rollKey(
      { database: { ...database, transaction: inside }, clock: world.clock },
      { accountId, keyId: old.keyId, overlapMs: 60_000 },
      commandLine,
    );
  });
  await locked.promise;
  const creating = create(old.key); // the job is inserted, and then waits for the account
  await somebodyWaits(world);
  inserted.resolve();
  const next = await rolling;
  const late = await creating;
  const subject = { kind: 'key', id: next.keyId } as const;
  const limited = { accountId, subject, changes: { month: 3n * job }, defaults: noDefaults };
  await database.transaction((tx) => changeLimits(tx, limited, commandLine));
  assert.deepEqual(await used(next.keyId), { month: job, total: job });
  await cancel(world, late);
  assert.deepEqual(await used(next.keyId), { month: job, total: job });
});

test('a limit that a new key gets later counts the jobs of the old key, which go back to it if they fail', async () => {
  await using world = await openWorld({ worker: false });
  const { create, roll, used } = keysOf(world);
  const { accountId } = world;
  const old = await createKey({ database: world.app.database, clock: world.clock }, { account: accountId });
  const early = [await create(old.key), await create(old.key)];
  const newer = await roll(old.keyId, 60_000);
  const newest = await roll(newer.keyId);
  await create(old.key);
  const subject = { kind: 'key', id: newest.keyId } as const;
  const limited = { accountId, subject, changes: { total: 4n * job }, defaults: noDefaults };
  await world.app.database.transaction((tx) => changeLimits(tx, limited, commandLine));
  assert.deepEqual(await used(newest.keyId), { total: 2n * job });
  await create(newest.key);
  for (const id of early) await cancel(world, id);
  assert.deepEqual(await used(newest.keyId), { total: job });
});

function keysOf(world: World) {
  const { database } = world.app;
  return {
    create: (key: string) => world.create(undefined, {}, bearer(key)),
    roll: (keyId: string, overlapMs = 0) =>
      rollKey(
        { database, clock: world.clock },
        { accountId: world.accountId, keyId, overlapMs },
        commandLine,
      ),
    async used(keyId: string) {
      const limits = database.read.selectFrom('limits').select(['meter', 'used']);
      const rows = await limits.where('subject_id', '=', keyId).orderBy('meter').execute();
      return Object.fromEntries(rows.map(({ meter, used }) => [meter, BigInt(used)]));
    },
  };
}

async function cancel(world: World, id: string): Promise<void> {
  assert.equal((await world.send('POST', `/jobs/${id}/cancel`)).status, 200);
}
