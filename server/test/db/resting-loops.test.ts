import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertEmail, isAnyEmailWaiting } from '../../src/accounts/people/outbox-store.ts';
import { connect } from '../../src/base/db/connect.ts';
import type { Database } from '../../src/base/db/database.ts';
import { startRestingLoop } from '../../src/base/db/start-resting-loop.ts';
import { newId } from '../../src/base/std/ids.ts';
import { until } from '../faults/support/server.ts';
import { openWorld, type World } from '../world/world.ts';

test('a loop rests while no row waits, and runs once any process has written one, without a notification', async () => {
  await using world = await openWorld({ worker: false });
  await using loop = startCounted(world);
  await until(() => loop.rests());
  const { clock, config } = world;
  await using other = await connect({ url: config.databaseUrl, dataDir: config.dataDir, clock });
  const before = loop.runs();
  await writeEmail(other);
  await until(() => loop.runs() > before);
  assert.equal(await loop.rests(), false, 'it rested while a row waited');
  await other.transaction((tx) => tx.deleteFrom('outgoing_emails').execute());
  await until(() => loop.rests());
});

test('a loop runs again as long as its work fails', async () => {
  await using world = await openWorld({ worker: false });
  let failures = 0;
  await using loop = startCounted(world, {
    async work() {
      if (failures === 30) return;
      failures += 1;
      throw new Error('fails');
    },
  });
  await until(() => loop.rests());
  assert.equal(failures, 30);
});

for (const fails of ['its work', 'a search for waiting rows'])
  test(`a loop runs while a row waits that was written when ${fails} failed`, async () => {
    await using world = await openWorld({ worker: false });
    const write = () => writeEmail(world.app.database);
    let armed = '';
    const fail = (what: string) => {
      if (armed !== what) return;
      armed = '';
      throw new Error('fails');
    };
    await using loop = startCounted(world, {
      async work() {
        if (armed === 'its work') await write();
        fail('its work');
      },
      onSearch: () => fail('a search for waiting rows'),
    });
    await until(() => loop.rests());
    armed = fails;
    if (fails === 'its work') loop.wake();
    else await write();
    await until(() => armed === '');
    assert.equal(await loop.rests(), false, 'it rested while a row waited');
  });

function writeEmail(database: Database): Promise<void> {
  const email = { id: newId(Date.now()), kind: 'welcome', email: 'a@example.com', personId: null } as const;
  return database.transaction((tx) => insertEmail(tx, email));
}

function startCounted(
  { app: { database } }: World,
  { work = async () => {}, onSearch = () => {} }: { work?: () => Promise<void>; onSearch?: () => void } = {},
) {
  let [runs, questions] = [0, 0];
  const loop = startRestingLoop({
    database: {
      ...database,
      get read() {
        onSearch();
        return database.read;
      },
      revision() {
        questions += 1;
        return database.revision();
      },
    },
    waits: [isAnyEmailWaiting],
    everyMs: 10,
    onError: () => {},
    async runOnce() {
      runs += 1;
      await work();
      return false;
    },
  });
  return {
    wake: () => loop.wake(),
    runs: () => runs,
    /** True if the loop read the revision ten times and did not run. */
    async rests() {
      const before = { runs, questions };
      await until(() => questions >= before.questions + 10);
      return runs === before.runs;
    },
    [Symbol.asyncDispose]: () => loop[Symbol.asyncDispose](),
  };
}
