import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Database } from '../../src/base/db/database.ts';
import type { Tx } from '../../src/base/db/schema.ts';
import { newId } from '../../src/base/std/ids.ts';
import { sweepRows } from '../../src/jobs/upkeep/sweep-rows.ts';
import { createRecordingLog } from '../http/support/recording-log.ts';
import { silentLog } from '../world/silent-log.ts';
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
  const log = createRecordingLog();
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
  assert.deepEqual(log.lines, [], 'nothing else was swept');
});

test('expired links by email and old counts of deliveries are removed', async () => {
  const { database } = world.app;
  const hour = Math.floor(world.clock.nowMs() / 3_600_000);
  const count = { endpoint_id: newId(0), outcome: 'delivered' as const, speed: 1, attempts: 1 };
  const counts = [0, 1, 7 * 24 - 1, 7 * 24 + 2].map((ago) => ({ ...count, hour: hour - ago }));
  await database.transaction((tx) => tx.insertInto('endpoint_hours').values(counts).execute());
  const link = { purpose: 'sign_up' as const, email: 'ada@example.com', person_id: null };
  const rows = [
    { ...link, token_hash: 'expired', expires_at: 1 },
    { ...link, token_hash: 'valid', expires_at: world.clock.nowMs() + 600_000 },
  ];
  await database.transaction((tx) => tx.insertInto('address_links').values(rows).execute());
  await sweepRows({ database, log: silentLog }, new AbortController().signal);
  const left = await database.read.selectFrom('address_links').select('token_hash').execute();
  assert.deepEqual(
    left.map((row) => row.token_hash),
    ['valid'],
  );
  const hours = await database.read.selectFrom('endpoint_hours').select('hour').orderBy('hour').execute();
  assert.deepEqual(
    hours.map((row) => hour - row.hour),
    [7 * 24 - 1, 1, 0],
  );
});
