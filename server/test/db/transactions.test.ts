import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertAccountIfNew, listAccountPage } from '../../src/accounts/account-store.ts';
import type { Database } from '../../src/db/database.ts';
import { openWorld } from '../world/world.ts';

// Without the guard both would wait for what the transaction holds.
const timeout = 30_000;

const uses: [what: string, use: (database: Database) => Promise<unknown>][] = [
  ['a query on the root handle', (database) => listAccountPage(database.read, { limit: 9 })],
  ['a second transaction', (database) => database.transaction((tx) => listAccountPage(tx, { limit: 9 }))],
];

for (const [what, use] of uses) {
  test(`${what} inside a transaction throws at once, and the transaction is undone`, {
    timeout,
  }, async () => {
    await using world = await openWorld({ worker: false });
    const { database } = world.app;
    const id = '019a2f4c-6c1e-7b3a-9d52-3f8e1c7a4b60';
    const work = database.transaction(async (tx) => {
      await insertAccountIfNew(tx, { id, name: 'undone' });
      await use(database);
    });
    await assert.rejects(work, /root handle is used inside a transaction/);
    const names = (await listAccountPage(database.read, { limit: 9 })).map(({ name }) => name);
    assert.ok(!names.includes('undone'));
    assert.equal((await world.send('GET', '/balance')).status, 200);
  });
}
