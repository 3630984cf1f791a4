import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { insertAccountIfNew, listAccountPage } from '../../src/accounts/account-store.ts';
import type { Database } from '../../src/base/db/database.ts';
import { isOutdated } from '../../src/base/db/rows.ts';
import type { Tx } from '../../src/base/db/schema.ts';
import { openWorld } from '../world/world.ts';

// Without the guard, both would wait for the transaction's locks for ever.
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

test('a failure among a transaction’s last queries undoes all of it, and the connection stays usable', {
  timeout,
}, async () => {
  await using world = await openWorld({ worker: false });
  const { database } = world.app;
  const id = '019a2f4c-6c1e-7b3a-9d52-3f8e1c7a4b61';
  const insert = (tx: Tx, name: string) => insertAccountIfNew(tx, { id, name });
  const failing = database.transaction(
    (tx) => insert(tx, 'undone'),
    (tx) => Promise.all([sql`select no_such_thing()`.execute(tx), insert(tx, 'undone as well')]),
  );
  await assert.rejects(failing, /no_such_thing/);
  await database.transaction(
    async () => 'kept',
    (tx, name) => insert(tx, name),
  );
  const names = (await listAccountPage(database.read, { limit: 9 })).map(({ name }) => name);
  assert.deepEqual(
    names.filter((name) => /undone|kept/.test(name)),
    ['kept'],
  );
});

test('a query after a transaction’s last is refused on PostgreSQL, because the commit has already been sent', {
  timeout,
}, async (t) => {
  await using world = await openWorld({ worker: false });
  const { database } = world.app;
  if (database.kind === 'sqlite') return t.skip('the commit waits for all queries');
  const late = database.transaction(
    async () => {},
    async (tx) => {
      await listAccountPage(tx, { limit: 9 });
      await listAccountPage(tx, { limit: 9 });
    },
  );
  await assert.rejects(late, /The transaction has ended before this query was sent/);
});

test('an outdated decision is recognized by its code and our word, in whatever language the server writes errors', () => {
  const said = (message: string, code: string) => isOutdated(Object.assign(new Error(message), { code }));
  const german = 'ungültige Eingabesyntax für Typ integer: »outdated decision«';
  assert.ok(said(german, '22P02'));
  assert.ok(!said('invalid input syntax for type integer: "x"', '22P02'));
  assert.ok(!said(german, '23505'));
});
