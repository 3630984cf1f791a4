import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Database } from '../../src/base/db/database.ts';
import type { Tx } from '../../src/base/db/schema.ts';
import { sweepRows } from '../../src/jobs/upkeep/sweep-rows.ts';
import { silentLog as log } from '../world/silent-log.ts';
import { openWorld, type World } from '../world/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ worker: false });
});
after(() => world[Symbol.asyncDispose]());

const flood = 2_000;

async function countLimits(): Promise<number> {
  const limits = world.app.database.read.selectFrom('sign_in_limits');
  const { count } = await limits
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

test('rows left by a flood of tries are removed, and a stop does not wait for all of them', async () => {
  const { database } = world.app;
  const rows = Array.from({ length: flood }, (_, nth) => ({ id: `address ${nth}`, busy_until: 1 }));
  await database.transaction((tx) => tx.insertInto('sign_in_limits').values(rows).execute());
  const stop = new AbortController();
  const transaction = async <Done>(work: (tx: Tx) => Promise<Done>) => {
    const done = await database.transaction(work);
    if ((await countLimits()) < flood) stop.abort(new Error('stopped'));
    return done;
  };
  const watched: Database = Object.create(database, { transaction: { value: transaction } });
  await assert.rejects(sweepRows({ database: watched, log }, stop.signal), /stopped|aborted/);
  assert.ok((await countLimits()) > flood / 2);
  await sweepRows({ database, log }, new AbortController().signal);
  assert.equal(await countLimits(), 0);
});
