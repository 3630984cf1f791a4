import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { sql } from 'kysely';
import { commandLine } from '../../src/accounts/audit-store.ts';
import { changeLimits } from '../../src/accounts/change-limits.ts';
import { type Admittee, createAdmission } from '../../src/admission/admit-jobs.ts';
import type { Admission } from '../../src/admission/decide-admissions.ts';
import { type Database, transactionGuard } from '../../src/db/database.ts';
import { cancelBatch } from '../../src/jobs/batches/cancel-batch.ts';
import { cancelJob } from '../../src/jobs/cancel/cancel-job.ts';
import { readBalance, standInLine } from '../../src/ledger/ledger-store.ts';
import { type LimitChanges, noDefaults } from '../../src/limits/limit.ts';
import { createEndWriter } from '../../src/queue/write-ends.ts';
import { newId } from '../../src/std/ids.ts';
import { addEndpoint } from '../../src/webhooks/endpoints/add-endpoint.ts';
import { plainJob } from '../world/plain-job.ts';
import { claimOnce, maintainOnce } from '../world/run-once.ts';
import { openWorld, testRoutes } from '../world/world.ts';

const world = await openWorld({ worker: false });
after(() => world[Symbol.asyncDispose]());
const { database } = world.app;
const routesOf = (slots: number) => testRoutes(world.provider, { slots });
// SQLite has one writer: nothing comes between.
const skip = database.kind === 'sqlite';
const priceMicros = 40_000n;

/** Where each transaction that reads and then writes is overtaken, once, by what another process does. */
function overtakenBy(change: () => Promise<unknown>): Database {
  let isOver = false;
  const transaction = <T, U>(work: (tx: never) => Promise<T>, last?: (tx: never, found: T) => Promise<U>) => {
    if (!last) return database.transaction(work as never);
    const overtaken = async (tx: never) => {
      const found = await work(tx);
      if (!isOver) await transactionGuard.inside.exit(change);
      isOver = true;
      return found;
    };
    return database.transaction(overtaken as never, last as never);
  };
  return { ...database, transaction } as Database;
}

function admit(
  accountId: string,
  { key, on = database }: { key?: string; on?: Database } = {},
): Promise<Admission> {
  const idempotency = key === undefined ? null : { key, fingerprint: 'same', holder: null };
  return createAdmission(on, () => {})(admitteeOf(accountId, idempotency));
}

function admitteeOf(accountId: string, idempotency: Admittee['idempotency'] = null): Admittee {
  const asker = { accountId, keyId: accountId, clientTokenId: null, requestId: null };
  const job = { ...plainJob, id: newId(Date.now()), model: 'nb2', priceMicros };
  return { asker, jobs: [job], inputBytes: 0, idempotency };
}

function limit(id: string, changes: LimitChanges): Promise<void> {
  const subject = { kind: 'account', id } as const;
  return database.transaction((tx) =>
    changeLimits(tx, { accountId: id, subject, changes, defaults: noDefaults }, commandLine),
  );
}

async function account(name: string, jobs = 10n): Promise<string> {
  return (await world.account(name, { creditMicros: jobs * priceMicros })).accountId;
}

describe('what another process does between what a create reads and what it writes', { skip }, () => {
  test('money that it took is not spent again', async () => {
    const id = await account('poor', 1n);
    const admission = await admit(id, { on: overtakenBy(() => admit(id)) });
    assert.deepEqual(admission, { kind: 'insufficient', availableMicros: 0n });
    assert.equal((await readBalance(database.read, id))?.reservedMicros, priceMicros);
  });

  test('money that it left is enough', async () => {
    const id = await account('rich', 2n);
    assert.equal((await admit(id, { on: overtakenBy(() => admit(id)) })).kind, 'admitted');
  });

  test('a limit that it set holds', async () => {
    const id = await account('set');
    const set = () => limit(id, { total: priceMicros - 1n });
    assert.equal((await admit(id, { on: overtakenBy(set) })).kind, 'limited');
  });

  test('a limit that it removed does not', async () => {
    const id = await account('removed');
    await limit(id, { total: priceMicros, open: 5n });
    const remove = () => limit(id, { total: null });
    assert.equal((await admit(id, { on: overtakenBy(remove) })).kind, 'admitted');
  });

  for (const meter of ['total', 'day', 'open', 'waiting'] as const)
    test(`the last of a limit that it took (${meter}) is not taken again`, async () => {
      const id = await account(`last ${meter}`);
      await limit(id, { [meter]: meter === 'open' || meter === 'waiting' ? 1n : priceMicros });
      assert.equal((await admit(id, { on: overtakenBy(() => admit(id)) })).kind, 'limited');
    });

  test('a job that it made with the same key is the answer', async () => {
    const id = await account('keys');
    let first: Admission | undefined;
    const on = overtakenBy(async () => (first = await admit(id, { key: 'one' })));
    const second = await admit(id, { key: 'one', on });
    assert.deepEqual([first?.kind, second.kind], ['admitted', 'replayed']);
    assert.deepEqual(jobIdsOf(second), first && jobIdsOf(first));
  });
});

function jobIdsOf(admission: Admission): readonly string[] {
  return 'jobIds' in admission ? admission.jobIds : [];
}

test('many processes admit as much as the money, and one job for a key', async () => {
  const [limited, poor] = [await account('many limited', 1_000n), await account('many poor', 50n)];
  await limit(limited, { total: 50n * priceMicros });
  const processes = Array.from({ length: 8 }, () => createAdmission(database, () => {}));
  const all = await Promise.all(
    processes.flatMap((process) =>
      Array.from({ length: 20 }, async (_, index) => {
        const key = index < 10 ? { key: `key ${index}`, fingerprint: 'same', holder: null } : null;
        return [await process(admitteeOf(limited)), await process(admitteeOf(poor, key))] as const;
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

describe('what another worker claims between what a worker reads and what it writes', { skip }, () => {
  const claim = (worker: string, { on = database, slots = 9 } = {}) =>
    claimOnce(on, world.watch, { worker, routes: routesOf(slots), limit: 1, leaseMs: 20_000 });
  const ids = (jobs: readonly { id: string }[]) => jobs.map(({ id }) => id);

  test('is its own, and the next job goes to whoever came second', async () => {
    await settleAll();
    const id = await account('two jobs');
    const made = [...jobIdsOf(await admit(id)), ...jobIdsOf(await admit(id))];
    let first: string[] = [];
    const on = overtakenBy(async () => (first = ids(await claim('first'))));
    assert.deepEqual([first, ids(await claim('second', { on }))].flat().length, 1);
    assert.deepEqual(first, made.slice(0, 1));
  });

  test('takes the last slot of a route', async () => {
    await settleAll();
    const id = await account('one slot');
    await admit(id);
    await admit(id);
    const on = overtakenBy(() => claim('first', { slots: 1 }));
    assert.deepEqual(await claim('second', { on, slots: 1 }), []);
  });

  test('takes the last of what an account may have running', async () => {
    await settleAll();
    const id = await account('one running');
    await limit(id, { running: 1n });
    await admit(id);
    await admit(id);
    const on = overtakenBy(() => claim('first'));
    assert.deepEqual(await claim('second', { on }), []);
  });
});

async function settleAll(): Promise<void> {
  const rows = await database.read
    .selectFrom('jobs')
    .select(['id', 'attempt', 'worker'])
    .where('status', 'in', ['queued', 'processing'])
    .execute();
  await end(rows);
}

function end(
  rows: readonly { id: string; attempt: number; worker: string | null }[],
  on: Database = database,
): Promise<boolean[]> {
  const write = createEndWriter(on, () => {});
  const outcome = { status: 'failed', error: 'No.', errorCode: 'cancelled' } as const;
  return Promise.all(
    rows.map(({ id: jobId, attempt, worker }) =>
      write({ kind: 'settle', settlement: { jobId, attempt, worker, outcome } }),
    ),
  );
}

test('an endpoint that is added while a job ends is told of it', { skip }, async () => {
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

describe('who waits for an account keeps nobody from the rows of its jobs', { skip }, () => {
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
          while (!(await isAnyInLine()));
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

async function isAnyInLine(): Promise<boolean> {
  const { rows } = await sql`select from pg_locks where not granted and locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())`.execute(database.read);
  return rows.length > 0;
}
