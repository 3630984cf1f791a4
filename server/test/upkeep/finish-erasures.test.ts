import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { putErased } from '../../src/accounts/account-store.ts';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import type { Database } from '../../src/base/db/database.ts';
import { followClock } from '../../src/base/db/follow-clock.ts';
import type { Tx } from '../../src/base/db/schema.ts';
import { cancelJob } from '../../src/jobs/cancel/cancel-job.ts';
import { eraseAccount } from '../../src/jobs/upkeep/erase-account.ts';
import { listOpenJobs } from '../../src/jobs/upkeep/erase-store.ts';
import { finishErasures } from '../../src/jobs/upkeep/people/finish-erasures.ts';
import { bearer } from '../http/support/requests.ts';
import { recordTime } from '../world/record-time.ts';
import { silentLog } from '../world/silent-log.ts';
import { openWorld, type World } from '../world/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ worker: false });
});
after(() => world[Symbol.asyncDispose]());

const deps = () => ({
  ...{ ...world.app, log: silentLog, routes: { list: () => [] } },
  ...{ onSettled: () => {}, onTakenAway: () => {}, mayRemove: async () => true },
});

async function waiting(name: string): Promise<string> {
  const { accountId, key } = await world.account(name, { creditMicros: 1_000_000n });
  for (let nth = 0; nth < 2; nth += 1) await world.create(undefined, {}, bearer(key));
  return accountId;
}

async function cutOff(name: string): Promise<string> {
  const accountId = await waiting(name);
  await world.app.database.transaction((tx) => putErased(tx, accountId, 'Its last owner left.'));
  return accountId;
}

async function finishedOf(ids: readonly string[]): Promise<string[]> {
  const rows = await world.app.database.read.selectFrom('accounts').select(['id', 'name']).execute();
  return rows.flatMap(({ id, name }) => (ids.includes(id) && name === `erased ${id}` ? [id] : []));
}

async function openJobsOf(accountId: string): Promise<number> {
  const jobs = world.app.database.read.selectFrom('jobs').select('id').where('account_id', '=', accountId);
  return (await jobs.where('status', '=', 'queued').execute()).length;
}

async function erasersOf(accountId: string): Promise<string[]> {
  const log = world.app.database.read.selectFrom('audit_log').select('person_name');
  const ends = await log.where('account_id', '=', accountId).where('action', '=', 'account.erased').execute();
  return ends.map((end) => end.person_name);
}

test('a failed erasure delays no other, and is continued the next time', async () => {
  const [first, second] = [await cutOff('fails'), await cutOff('goes on')];
  let asked = 0;
  const mayRemove = async () => {
    asked += 1;
    if (asked === 1) throw new Error('a database that is away');
    return true;
  };
  assert.deepEqual(await finishErasures({ ...deps(), mayRemove }), { accounts: 1 });
  assert.deepEqual(await finishedOf([first, second]), [second]);
  assert.deepEqual(await finishErasures(deps()), { accounts: 1 });
  assert.deepEqual(await finishErasures(deps()), { accounts: 0 });
  assert.equal((await finishedOf([first, second])).length, 2);
  const { read } = world.app.database;
  const log = read.selectFrom('audit_log').select('subject').where('action', '=', 'account.erased');
  assert.equal((await log.execute()).length, 2);
});

test('a stop does not wait until all of an account’s jobs are cancelled', async () => {
  const accountId = await cutOff('stopped');
  const stop = new AbortController();
  const onSettled = () => stop.abort(new Error('stopped'));
  await assert.rejects(finishErasures({ ...deps(), onSettled }, { signal: stop.signal }), /stopped/);
  assert.equal(await openJobsOf(accountId), 1);
  await finishErasures(deps());
  assert.deepEqual(await finishedOf([accountId]), [accountId]);
});

test('jobs that end just before an erasure cancels them do not stop it', async () => {
  const accountId = await cutOff('ending');
  const { database } = world.app;
  const transaction = async <Done>(work: (tx: Tx) => Promise<Done>) => {
    for (const jobId of await listOpenJobs(database.read, accountId))
      await cancelJob(deps(), { accountId, jobId });
    return database.transaction(work);
  };
  const overtaken: Database = Object.create(database, { transaction: { value: transaction } });
  assert.deepEqual(await finishErasures({ ...deps(), database: overtaken }), { accounts: 1 });
});

test('beginning an erasure again takes it over exclusively, however long ago it was begun', async () => {
  const name = 'again';
  const accountId = await waiting(name);
  const erase = (mayRemove: () => Promise<boolean>) =>
    eraseAccount({ ...deps(), mayRemove }, { account: accountId, name }, commandLine);
  await assert.rejects(
    erase(() => Promise.reject(new Error('killed'))),
    /killed/,
  );
  const { database } = world.app;
  await database.transaction((tx) =>
    tx.updateTable('accounts').set({ erasing_since: 0 }).where('id', '=', accountId).execute(),
  );
  const left = await cutOff('left by its owner');
  const [begun, rest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const again = erase(async () => {
    begun.resolve();
    await rest.promise;
    return true;
  });
  await begun.promise;
  assert.deepEqual(await finishErasures(deps()), { accounts: 1 });
  assert.deepEqual(await finishedOf([accountId, left]), [left]);
  rest.resolve();
  assert.equal((await again).jobs, 2);
  assert.deepEqual(await erasersOf(accountId), [commandLine.name]);
});

test('an erasure that is begun again during the completion of another is left to the new one', async () => {
  const [first, second] = [await cutOff('finished'), await cutOff('begun again')];
  const [begun, rest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const again = Promise.withResolvers<Awaited<ReturnType<typeof eraseAccount>>>();
  const beginAgain = async () => {
    const mayRemove = async () => {
      begun.resolve();
      await rest.promise;
      return true;
    };
    const erased = eraseAccount(
      { ...deps(), mayRemove },
      { account: second, name: 'begun again' },
      commandLine,
    );
    again.resolve(erased);
    await begun.promise;
    return true;
  };
  assert.deepEqual(await finishErasures({ ...deps(), mayRemove: beginAgain }), { accounts: 1 });
  assert.deepEqual(await finishedOf([first, second]), [first]);
  rest.resolve();
  assert.equal((await again.promise).jobs, 2);
  assert.deepEqual(await erasersOf(second), [commandLine.name]);
});

test('an erasure that was cut off is finished after a quarter of an hour, even if the clock was set back', async () => {
  const name = 'set back';
  const accountId = await waiting(name);
  const killed = async () => Promise.reject(new Error('killed'));
  await assert.rejects(
    eraseAccount({ ...deps(), mayRemove: killed }, { account: accountId, name }, commandLine),
    /killed/,
  );
  const { database } = world.app;
  await recordTime(world);
  await world.jump(-24 * 60 * 60_000);
  await followClock(database);
  await world.elapse(14 * 60_000);
  assert.deepEqual(await finishErasures(deps()), { accounts: 0 });
  await world.elapse(2 * 60_000);
  assert.deepEqual(await finishErasures(deps()), { accounts: 1 });
  assert.deepEqual(await finishedOf([accountId]), [accountId]);
});
