import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { sql } from 'kysely';
import { putErased } from '../../src/accounts/account-store.ts';
import { creditAccount } from '../../src/accounts/credit-account.ts';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { type Database, transactionGuard } from '../../src/base/db/database.ts';
import { newId } from '../../src/base/std/ids.ts';
import { createAdmission } from '../../src/jobs/admission/admission.ts';
import { type Admission, keyOfToken } from '../../src/jobs/admission/decide-admissions.ts';
import { cancelBatch } from '../../src/jobs/batches/cancel-batch.ts';
import { cancelJob } from '../../src/jobs/cancel/cancel-job.ts';
import { createEndWriter } from '../../src/jobs/queue/end-writer.ts';
import { readBalance, standInLine } from '../../src/money/ledger/ledger-store.ts';
import { readLimits } from '../../src/money/limits/limit-store.ts';
import { tellLowBalances } from '../../src/notify/alerts/tell-low-balances.ts';
import { addEndpoint } from '../../src/notify/webhooks/endpoints/add-endpoint.ts';
import { claimOnce, maintainOnce } from '../world/run-once.ts';
import { openWorld, testRoutes } from '../world/world.ts';
import { admitteeOf, jobIdsOf, openContenders, priceMicros } from './support/contenders.ts';
import { isAnyInLine, overtakenBy as overtaken } from './support/overtaken.ts';

const world = await openWorld({ worker: false });
after(() => world[Symbol.asyncDispose]());
const { database } = world.app;
const routesOf = (slots: number) => testRoutes(world.provider, { slots });
// SQLite has one writer, so there is no contention.
const skip = database.kind === 'sqlite';

const { account, admit, limit, end, settleAll } = openContenders(world);
const overtakenBy = (change: () => Promise<unknown>, after?: string) => overtaken(change, database, after);

describe('a create that another process overtakes between its read and its write', { skip }, () => {
  test('does not spend money again that the other took', async () => {
    const id = await account('poor', 1n);
    const admission = await admit(id, { on: overtakenBy(() => admit(id)) });
    assert.deepEqual(admission, { kind: 'insufficient', availableMicros: 0n, debtMicros: 0n });
    assert.equal((await readBalance(database.read, id))?.reservedMicros, priceMicros);
  });

  test('uses money that the other left', async () => {
    const id = await account('rich', 2n);
    assert.equal((await admit(id, { on: overtakenBy(() => admit(id)) })).kind, 'admitted');
  });

  test('makes nothing for an account that the other began to erase', async () => {
    const id = await account('erased');
    const erase = () => database.transaction((tx) => putErased(tx, id, 'a test'));
    assert.deepEqual(await admit(id, { on: overtakenBy(erase) }), { kind: 'erased' });
  });

  test('obeys a limit that the other set', async () => {
    const id = await account('set');
    const set = () => limit(id, { total: priceMicros - 1n });
    assert.equal((await admit(id, { on: overtakenBy(set) })).kind, 'limited');
  });

  test('ignores a limit that the other removed', async () => {
    const id = await account('removed');
    await limit(id, { total: priceMicros, open: 5n });
    const remove = () => limit(id, { total: null });
    assert.equal((await admit(id, { on: overtakenBy(remove) })).kind, 'admitted');
  });

  for (const meter of ['total', 'day', 'open', 'waiting'] as const)
    test(`does not use the rest of a limit (${meter}) that the other used up`, async () => {
      const id = await account(`last ${meter}`);
      await limit(id, { [meter]: meter === 'open' || meter === 'waiting' ? 1n : priceMicros });
      assert.equal((await admit(id, { on: overtakenBy(() => admit(id)) })).kind, 'limited');
    });

  for (const [whose, key] of [
    ['the same key', 'one'],
    ["a client token's same key", keyOfToken('one', newId(0))],
  ] as const)
    test(`returns the job that the other created with ${whose}`, async () => {
      const id = await account(`of ${whose}`);
      let first: Admission | undefined;
      const on = overtakenBy(async () => (first = await admit(id, { key })));
      const second = await admit(id, { key, on });
      assert.deepEqual([first?.kind, second.kind], ['admitted', 'replayed']);
      assert.deepEqual(jobIdsOf(second), first && jobIdsOf(first));
    });

  test('returns the job that the other created with the same key, even if that one fills the limit of waiting jobs', async () => {
    const id = await account('keys that wait');
    await limit(id, { waiting: 1n });
    const on = overtakenBy(() => admit(id, { key: 'one' }), 'join idempotency_keys');
    assert.equal((await admit(id, { key: 'one', on })).kind, 'replayed');
  });

  test('obeys a limit that the other set in addition to others', async () => {
    const id = await account('set beside');
    await limit(id, { open: 5n });
    const set = () => limit(id, { total: priceMicros - 1n });
    assert.equal((await admit(id, { on: overtakenBy(set) })).kind, 'limited');
  });

  test('obeys a limit that the other lowered', async () => {
    const id = await account('lowered');
    await limit(id, { total: 5n * priceMicros });
    const lower = () => limit(id, { total: priceMicros - 1n });
    assert.equal((await admit(id, { on: overtakenBy(lower) })).kind, 'limited');
  });

  test('obeys the default if the other removed an own limit', async () => {
    const id = await account('by default');
    const defaults = { account: { total: priceMicros - 1n }, key: {} };
    await limit(id, { total: 5n * priceMicros }, { defaults });
    const own = await admit(id, { defaults });
    assert.equal(own.kind, 'admitted');
    const takeAway = async () => {
      await limit(id, { total: 'default' }, { defaults });
      assert.equal((await admit(id, { defaults })).kind, 'limited');
    };
    assert.equal((await admit(id, { defaults, on: overtakenBy(takeAway) })).kind, 'limited');
  });

  test('counts no job of the previous hour in an hour that the other began', async () => {
    const id = await account('next hour');
    await limit(id, { hour: 5n * priceMicros });
    const made: Admission[] = [];
    const begin = async () => {
      await world.elapse(3_600_000);
      made.push(await admit(id));
    };
    made.push(await admit(id, { on: overtakenBy(begin) }));
    const jobs = made.flatMap(jobIdsOf).map((jobId) => ({ id: jobId, attempt: 0, worker: null }));
    assert.deepEqual(await end(jobs), [true, true]);
    const [hour] = await readLimits(database.read, [id], ['hour']);
    assert.equal(hour?.used, 0n, 'all that was taken of the hour is given back');
  });

  test('sees money that the other adds before both of two decisions, or after both', async () => {
    const id = await account('mixed', 1n);
    let credited: Promise<unknown> | undefined;
    const on = overtakenBy(() => {
      credited = creditAccount(
        { database, tellBalances: tellLowBalances },
        { account: id, amountMicros: priceMicros, reason: 'more' },
      );
      return credited;
    });
    const together = createAdmission(on, () => {});
    const both = await Promise.all([together(admitteeOf(id)), together(admitteeOf(id))]);
    await credited;
    const entries = await database.read
      .selectFrom('entries')
      .select('kind')
      .where('account_id', '=', id)
      .orderBy('id')
      .execute();
    assert.deepEqual(
      both.map(({ kind }) => kind),
      ['admitted', 'insufficient'],
    );
    assert.deepEqual(
      entries.map(({ kind }) => kind),
      ['credit', 'reserve', 'credit'],
    );
  });
});

describe('a create without interference is decided once', () => {
  function counted() {
    const begun = { transactions: 0 };
    const transaction = (...work: Parameters<Database['transaction']>) => {
      begun.transactions += 1;
      return database.transaction(...work);
    };
    return { begun, on: { ...database, transaction } as Database };
  }

  const fail = (admission: Admission) =>
    end(jobIdsOf(admission).map((id) => ({ id, attempt: 0, worker: null })));

  test('with a limit that is not counted yet, or whose hour is over', async () => {
    const id = await account('once');
    const { begun, on } = counted();
    await admit(id, { on, defaults: { account: { open: 5n }, key: {} } });
    await limit(id, { hour: priceMicros });
    await world.elapse(3_600_000);
    await admit(id, { on });
    assert.equal(begun.transactions, 2);
  });

  test('with the rest of every limit, own or default, while another account is refused', async () => {
    const [id, other] = [await account('edge'), await account('refused beside')];
    const defaults = { account: { month: priceMicros }, key: {} };
    await limit(id, { total: priceMicros, day: priceMicros, open: 1n });
    // Each account's first job causes a near-limit notice, which is decided under the lock.
    for (const accountId of [id, other]) await fail(await admit(accountId, { defaults }));
    await limit(other, { total: priceMicros - 1n });
    const { begun, on } = counted();
    const together = createAdmission(on, () => {}, defaults);
    const [own, others] = await Promise.all([together(admitteeOf(id)), together(admitteeOf(other))]);
    assert.deepEqual([own.kind, others.kind, begun.transactions], ['admitted', 'limited', 1]);
    await fail(own);
    await limit(id, { waiting: 1n });
    assert.equal((await admit(id, { on, defaults })).kind, 'admitted');
    await limit(other, { total: null, waiting: null }, { defaults: { account: { waiting: 1n }, key: {} } });
    assert.equal((await admit(other, { on, defaults })).kind, 'admitted');
    assert.equal(begun.transactions, 3);
  });

  test('and so is the end of its job', async () => {
    const [jobId = ''] = jobIdsOf(await admit(await account('ends')));
    const { begun, on } = counted();
    const outcome = { status: 'failed', error: 'No.', errorCode: 'safety_blocked' } as const;
    const settlement = { jobId, attempt: 0, worker: null, outcome };
    assert.equal(await createEndWriter(on, () => {})({ kind: 'settle', settlement }), true);
    assert.equal(begun.transactions, 1);
  });

  test('with each limit, by what it counts', async () => {
    const { accountId: id, keyId } = await world.account('counts', { creditMicros: 10n * priceMicros });
    await limit(id, { total: 9n * priceMicros, open: 9n });
    await limit(id, { total: 9n * priceMicros }, { keyId });
    const { begun, on } = counted();
    await admit(id, { on });
    for (const _time of [1, 2]) await admit(id, { on, keyId });
    await limit(id, { input: 1n });
    await admit(id, { on });
    assert.equal(begun.transactions, 4);
    const limits = await readLimits(database.read, [id, keyId], ['total', 'open', 'input']);
    assert.deepEqual(
      new Map(limits.map(({ subject, meter, used }) => [`${subject.kind} ${meter}`, used])),
      new Map([
        ['account total', 4n * priceMicros],
        ['account open', 4n],
        ['account input', 0n],
        ['key total', 2n * priceMicros],
      ]),
    );
  });
});

test('many processes admit no more than the money allows, and one job per key', async () => {
  const [limited, poor] = [await account('many limited', 1_000n), await account('many poor', 50n)];
  await limit(limited, { total: 50n * priceMicros });
  const processes = Array.from({ length: 8 }, () => createAdmission(database, () => {}));
  const all = await Promise.all(
    processes.flatMap((process) =>
      Array.from({ length: 20 }, async (_, index) => {
        const key = index < 10 ? { key: `key-${index}`, fingerprint: 'same', holder: null } : null;
        return [
          await process(admitteeOf(limited)),
          await process(admitteeOf(poor, { idempotency: key })),
        ] as const;
      }),
    ),
  );
  const count = (of: 0 | 1, kind: Admission['kind']) => all.filter((two) => two[of].kind === kind).length;
  assert.equal(count(0, 'admitted'), 50);
  assert.equal(count(0, 'limited'), 110);
  assert.equal(count(1, 'admitted'), 50);
  const byKey = all.flatMap(([, { kind }], index) => (index % 20 < 10 ? kind : []));
  assert.ok(byKey.filter((kind) => kind === 'admitted').length <= 10, 'each key made one job at most');
});

test('an endpoint that is added while a job ends receives its event', { skip }, async () => {
  const id = await account('endpoint');
  const [jobId = ''] = jobIdsOf(await admit(id));
  const url = 'https://example.com/hook';
  const deps = { database, clock: world.clock, checkTarget: () => ({ ok: true }), sealer: world.app.sealer };
  const add = () => addEndpoint(deps as never, { account: id, url }, commandLine);
  assert.deepEqual(await end([{ id: jobId, attempt: 0, worker: null }], overtakenBy(add)), [true]);
  const told = await database.read
    .selectFrom('deliveries')
    .select('url')
    .where('account_id', '=', id)
    .execute();
  assert.deepEqual(told, [{ url }]);
});

describe('a transaction that waits for an account does not lock the rows of its jobs', { skip }, () => {
  const routes = { list: () => [] };
  const deps = { database, routes, onSettled: () => {}, onTakenAway: () => {} };
  const outcome = { status: 'failed', error: 'No.', errorCode: 'cancelled' } as const;
  const lease = (jobId: string) => ({ jobId, attempt: 1, worker: 'first' });
  const ways: Record<string, (accountId: string, jobs: readonly string[]) => Promise<unknown>> = {
    'the end of a job, and of an attempt beside it': (_, [ending = '', retried = '']) => {
      const write = createEndWriter(database, () => {});
      const retry = { lease: lease(retried), failures: [], delayMs: 0, remoteId: null };
      return Promise.all([
        write({ kind: 'settle', settlement: { ...lease(ending), outcome } }),
        write({ kind: 'retry', retry }),
      ]);
    },
    'what cancels a job': (accountId, [jobId = '']) => cancelJob(deps, { accountId, jobId }),
    'what cancels a batch': async (accountId, [jobId = '']) => {
      const { batch_id: batchId } = await database.read
        .selectFrom('jobs')
        .select('batch_id')
        .where('id', '=', jobId)
        .executeTakeFirstOrThrow();
      return cancelBatch(deps, { accountId, batchId: batchId ?? '' });
    },
    'what ends jobs whose workers are gone': () => maintainOnce(database, world.watch, { jobTimeoutMs: 0 }),
  };
  for (const [what, way] of Object.entries(ways))
    test(what, async () => {
      await settleAll();
      const { accountId, key } = await world.account(what, { creditMicros: 10n * priceMicros });
      const requests = ['one', 'two'].map((prompt) => ({
        model: 'nb2',
        mode: 'text',
        body: { prompt, aspect_ratio: '1:1' },
      }));
      const headers = { authorization: `Bearer ${key}` };
      const { status } = await world.send('POST', '/batches', { body: { requests }, headers });
      assert.equal(status, 202);
      const claimed = await claimOnce(database, world.watch, {
        ...{ worker: 'first', routes: routesOf(9), limit: 2, leaseMs: -1 },
      });
      const ids = claimed.map(({ id }) => id);
      assert.equal(ids.length, 2);
      let ended: Promise<unknown> | undefined;
      await database.transaction(async (tx) => {
        await standInLine(tx, [accountId]);
        await transactionGuard.inside.exit(async () => {
          ended = way(accountId, ids);
          while (!(await isAnyInLine(database)));
          await sql`select from jobs where id = any(${ids}::uuid[]) for update nowait`.execute(database.read);
        });
      });
      await ended;
      const { worker } = await database.read
        .selectFrom('jobs')
        .select('worker')
        .where('id', '=', ids[0] ?? '')
        .executeTakeFirstOrThrow();
      assert.equal(worker, null);
    });
});
