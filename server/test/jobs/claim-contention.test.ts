import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { transactionGuard } from '../../src/base/db/database.ts';
import { leaseJobs, lockClaims } from '../../src/jobs/queue/claim-store.ts';
import { createEndWriter } from '../../src/jobs/queue/end-writer.ts';
import { claimOnce } from '../world/run-once.ts';
import { openWorld, testRoutes } from '../world/world.ts';
import { jobIdsOf, openContenders } from './support/contenders.ts';
import { overOrInLine, overtakenBy } from './support/overtaken.ts';

const world = await openWorld({ worker: false });
after(() => world[Symbol.asyncDispose]());
const { database } = world.app;
const { account, admit, limit, settleAll } = openContenders(world);
const giveBack = createEndWriter(database, () => {});
// SQLite has one writer, so there is no contention.
const skip = database.kind === 'sqlite';

beforeEach(settleAll);

interface Claiming {
  on?: typeof database;
  slots?: number;
  perMinute?: number;
  /** The number of jobs that the worker can still take. */
  room?: number;
}

async function claim(worker: string, { on = database, slots = 9, perMinute, room = 1 }: Claiming = {}) {
  const routes = testRoutes(world.provider, { slots }).map((route) => ({
    ...route,
    ...(perMinute !== undefined && { perMinute }),
  }));
  const jobs = await claimOnce(on, world.watch, { worker, routes, limit: room, leaseMs: 20_000 });
  return jobs.map(({ id }) => id);
}

async function claimAndGiveBack(delayMs: number, claiming: Claiming = {}): Promise<void> {
  const [jobId = ''] = await claim('first', claiming);
  const lease = { jobId, attempt: 1, worker: 'first' };
  const retry = { lease, failures: [], delayMs, remoteId: null };
  assert.equal(await giveBack({ kind: 'retry', retry }), true);
}

async function admitTwo(accountId: string, made: { keyId?: string } = {}): Promise<string[]> {
  return [...jobIdsOf(await admit(accountId, made)), ...jobIdsOf(await admit(accountId, made))];
}

test('a claim that fails, but not because of another worker, is reported', async () => {
  await admit(await account('claims that fail'));
  const looseTransaction = () => Promise.reject(new Error('the disk is gone'));
  const on = { ...database, looseTransaction };
  await assert.rejects(claim('first', { on }), /the disk is gone/);
  assert.deepEqual(await claim('first', { on, room: 0 }), [], 'a busy worker does not search');
});

describe('a claim by another worker, between a worker’s read and its write,', { skip }, () => {
  test('keeps its job, and the second worker gets the next one', async () => {
    const made = await admitTwo(await account('two jobs'));
    const first: string[] = [];
    const on = overtakenBy(async () => first.push(...(await claim('first'))), database);
    const second = await claim('second', { on });
    assert.deepEqual([first, second], [made.slice(0, 1), made.slice(1)]);
  });

  // The job that was read is unchanged: only the capacity that the other worker has used prevents its claim.
  const takeOther = async (claiming: Claiming = {}) => {
    await claimAndGiveBack(60_000, claiming);
    assert.equal((await claim('first', claiming)).length, 1);
  };

  test('takes the last slot of a route', async () => {
    await admitTwo(await account('one slot'));
    const on = overtakenBy(() => takeOther({ slots: 1 }), database);
    assert.deepEqual(await claim('second', { on, slots: 1 }), []);
  });

  test('takes the last of what an account may have running', async () => {
    const id = await account('one running');
    await limit(id, { running: 1n });
    await admitTwo(id);
    assert.deepEqual(await claim('second', { on: overtakenBy(takeOther, database) }), []);
  });

  test('takes the last of what a key may have running', async () => {
    const { accountId, keyId } = await world.account('one running of a key', { creditMicros: 1_000_000n });
    await limit(accountId, { running: 1n }, { keyId });
    await admitTwo(accountId, { keyId });
    assert.deepEqual(await claim('second', { on: overtakenBy(takeOther, database) }), []);
  });

  test('takes the pace of a route', async () => {
    await admit(await account('paced'));
    const on = overtakenBy(() => claimAndGiveBack(0, { perMinute: 1 }), database);
    assert.deepEqual(await claim('second', { on, perMinute: 1 }), []);
  });

  test('is known to the worker that writes after it', async () => {
    const [, other = ''] = await admitTwo(await account('in turn'));
    let second: Promise<string[]> | undefined;
    await database.transaction(async (tx) => {
      await lockClaims(tx);
      await transactionGuard.inside.exit(() => {
        second = claim('second', { slots: 1 });
        return overOrInLine(second, database);
      });
      await leaseJobs(tx, [{ jobId: other, routeId: 'nb2/test' }], { worker: 'first', leaseMs: 20_000 });
    });
    assert.deepEqual(await second, []);
  });
});
