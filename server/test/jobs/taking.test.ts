import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, beforeEach, describe, test } from 'node:test';
import { listen } from '../../faults/listen.ts';
import { creditAccount } from '../../src/accounts/credit-account.ts';
import type { Database } from '../../src/base/db/database.ts';
import type { Tx } from '../../src/base/db/schema.ts';
import { Overloaded } from '../../src/base/std/overloaded.ts';
import { noTracing } from '../../src/base/tracing/tracing.ts';
import { createAdmission } from '../../src/jobs/admission/admission.ts';
import type { Payable } from '../../src/jobs/admission/create-request.ts';
import { extendHold, holdKeyIfFree, releaseKey } from '../../src/jobs/admission/idempotency-store.ts';
import { type AdmitDeps, takeAndAdmit, whileKeyIsInUse } from '../../src/jobs/admission/take-and-admit.ts';
import { createUnderWay } from '../../src/jobs/admission/under-way.ts';
import { noDefaults } from '../../src/money/limits/limit.ts';
import { tellLowBalances } from '../../src/notify/alerts/tell-low-balances.ts';
import { assertProblem } from '../http/support/refusal.ts';
import { bearer, eventually, postText, textBody } from '../http/support/requests.ts';
import { onePixelPng } from '../inputs/support/images.ts';
import { changePrice } from '../world/change-model.ts';
import { openWorld } from '../world/world.ts';
import { admitteeOf, priceMicros } from './support/contenders.ts';
import { overtakenBy } from './support/overtaken.ts';

const world = await openWorld({ env: { DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8' } });
after(() => world[Symbol.asyncDispose]());
const { database, images, catalogue } = world.app;
const model = await catalogue.at(database.read, 'nb2', null);

/** Runs while an input is fetched. */
let meanwhile: () => Promise<unknown> = async () => {};
const server = createServer((_request, response) => {
  void meanwhile().then(() => response.end(onePixelPng));
});
const host = await listen(server);
after(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  meanwhile = async () => {};
});

let names = 0;
function createWithInput(key: string, idempotencyKey?: string, name?: string) {
  names += 1;
  const body = { ...textBody, input_images_urls: [`${host}/${name ?? names}.png`] };
  const headers = { ...bearer(key), ...(idempotencyKey && { 'idempotency-key': idempotencyKey }) };
  return world.send('POST', '/nb2/url-generations', { body, headers });
}

const inputs = () => Array.fromAsync(images.list('inputs/'));

async function holdersOf(accountId: string): Promise<(string | null)[]> {
  const rows = await database.read
    .selectFrom('idempotency_keys')
    .select('holder')
    .where('account_id', '=', accountId)
    .execute();
  return rows.map(({ holder }) => holder);
}

test('a create that is refused after its inputs were fetched keeps neither them nor its key', async () => {
  const { accountId, key } = await world.account('refused late', { creditMicros: priceMicros });
  meanwhile = async () => assert.equal((await postText(world, {}, bearer(key))).status, 202);
  const before = (await inputs()).length;
  assertProblem(await createWithInput(key, 'late'), 402, 'insufficient_funds');
  assert.equal((await inputs()).length, before);
  assert.deepEqual(await holdersOf(accountId), []);
  meanwhile = async () => {};
  await creditAccount(
    { database, tellBalances: tellLowBalances },
    { account: accountId, amountMicros: priceMicros, reason: 'more' },
  );
  assert.equal((await createWithInput(key, 'late')).status, 202);
  assert.equal((await inputs()).length, before + 1);
  assert.deepEqual(await holdersOf(accountId), [null], 'the key of a job is nobody’s to release');
});

test('a process has a limited number of creates under way, and each that ends makes room', () => {
  const underWay = createUnderWay({ ofAccount: 2, inProcess: 3 });
  const [first] = [underWay.enter('a'), underWay.enter('a'), underWay.enter('b')];
  assert.throws(() => underWay.enter('c'), Overloaded);
  for (const _time of [1, 2]) first[Symbol.dispose]();
  underWay.enter('b');
  assert.throws(() => underWay.enter('a'), Overloaded);
});

test('an account has a limited number of creates under way', () => {
  const underWay = createUnderWay({ ofAccount: 1, inProcess: 3 });
  underWay.enter('a');
  assert.throws(() => underWay.enter('a'), Overloaded);
  underWay.enter('b');
});

test('a key stays reserved for as long as inputs are fetched', async () => {
  const { accountId, key } = await world.account('holds on', { creditMicros: priceMicros });
  const heldUntil = async () => {
    const { held_until: at } = await database.read
      .selectFrom('idempotency_keys')
      .select('held_until')
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow();
    return at ?? 0;
  };
  meanwhile = async () => {
    const before = await heldUntil();
    await world.elapse(1_000);
    await eventually(heldUntil, (at) => at > before);
  };
  assert.equal((await createWithInput(key, 'long')).status, 202);
});

test('a repetition that comes while inputs are fetched waits ten seconds, and is asked to retry', async (t) => {
  const { key } = await world.account('repeats', { creditMicros: priceMicros });
  const fetching = Promise.withResolvers<void>();
  const fetched = Promise.withResolvers<void>();
  meanwhile = () => {
    fetching.resolve();
    return fetched.promise;
  };
  const first = createWithInput(key, 'twice', 'slow');
  await fetching.promise;
  const now = performance.now.bind(performance);
  let passedMs = 0;
  t.mock.method(performance, 'now', () => now() + passedMs);
  const hurry = setInterval(() => {
    passedMs = Math.min(passedMs + 1_000, 12_000); // not so far that the fetch is late, too
  }, 20);
  const second = await createWithInput(key, 'twice', 'slow');
  clearInterval(hurry);
  fetched.resolve();
  assertProblem(second, 409, 'idempotency_key_in_use');
  const seconds = Number(second.headers.get('retry-after'));
  assert.ok(seconds >= 1 && seconds <= 8, `${seconds} s, but a dead process frees its key after eight`);
  const { status, body } = await first;
  assert.equal(status, 202);
  assert.deepEqual((await createWithInput(key, 'twice', 'slow')).body, body);
});

test('a request that waits for a key queries the database at most ten times per second', async () => {
  const { signal } = new AbortController();
  const asked: number[] = [];
  await whileKeyIsInUse(
    () => signal,
    async () => {
      asked.push(performance.now());
      return asked.length < 3
        ? { kind: 'in_progress', leftMs: 1 }
        : { kind: 'insufficient', availableMicros: 0n, debtMicros: 0n };
    },
  );
  const [first = 0, , third = 0] = asked;
  // Node's timers may fire up to a millisecond early.
  assert.ok(third - first >= 198, `${asked}`);
});

test('a create is charged the price at its arrival, even if the price changes while inputs are fetched', async () => {
  const { key } = await world.account('told', { creditMicros: 10n * priceMicros });
  meanwhile = () => changePrice(world, 'nb2', '0.09');
  const { status, body } = await createWithInput(key);
  await changePrice(world, 'nb2', '0.04');
  assert.equal(status, 202);
  const job = await world.finished(String(body.job_id), key);
  assert.deepEqual([job.status, job.price], ['done', '0.04']);
  const { body: balance } = await world.send('GET', '/balance', { headers: bearer(key) });
  assert.deepEqual(balance, { ...balance, balance: '0.36', reserved: '0.00', available: '0.36' });
});

describe('creates that take inputs', () => {
  const deps: AdmitDeps = {
    database,
    clock: world.clock,
    underWay: createUnderWay(),
    limitDefaults: noDefaults,
    isOwnLink: () => true,
    admit: createAdmission(database, () => {}),
    tracing: noTracing,
  };

  function payable(accountId: string, key?: string): Payable {
    return {
      ...{ accountId, keyId: accountId, clientToken: null, requestId: '' },
      idempotency: key === undefined ? null : { key, fingerprint: 'same' },
      ...{ priceMicros, inputUrls: ['https://example.com/a.png'], signal: () => AbortSignal.timeout(60_000) },
      variants: [{ model }],
      unserved: null,
    };
  }

  const create = (accountId: string, admit: AdmitDeps['admit'], discard = async () => {}) =>
    takeAndAdmit({ ...deps, admit }, payable(accountId), async () => {
      const { jobs, inputBytes } = admitteeOf(accountId);
      return { jobs, inputBytes, unserved: null, discard };
    });

  test('promise a price until it is reserved, and no longer', async () => {
    const { accountId } = await world.account('two prices', { creditMicros: 2n * priceMicros });
    const kinds: string[] = [];
    const first = await create(accountId, async (admittee) => {
      const admission = await deps.admit(admittee);
      kinds.push((await create(accountId, deps.admit)).kind);
      return admission;
    });
    assert.deepEqual([first.kind, ...kinds], ['admitted', 'admitted']);
  });

  test('promise once, even if the database makes their transaction run again', async () => {
    const { accountId } = await world.account('one price', { creditMicros: priceMicros });
    const undone = new Error('a deadlock');
    const transaction = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
      const first = database.transaction(async (tx) => {
        await work(tx);
        throw undone;
      });
      await assert.rejects(first, undone);
      return database.transaction(work);
    };
    const again = { ...deps, database: { ...database, transaction } as Database }; // only this method is called
    const taken = async () => ({ ...admitteeOf(accountId), discard: async () => {} });
    assert.equal((await takeAndAdmit(again, payable(accountId), taken)).kind, 'admitted');
  });

  test('take none while another create with the same key does, even if both found the key free', {
    skip: database.kind === 'sqlite' && 'SQLite has one writer',
  }, async () => {
    const { accountId } = await world.account('both free', { creditMicros: 9n * priceMicros });
    const asked = payable(accountId, 'both');
    const taking = Promise.withResolvers<void>();
    let second: ReturnType<typeof takeAndAdmit> | undefined;
    const overtake = () => {
      second = takeAndAdmit(deps, asked, async () => {
        taking.resolve();
        return { ...admitteeOf(accountId), discard: async () => {} };
      });
      return taking.promise;
    };
    const on = overtakenBy(overtake, database, 'join idempotency_keys');
    const first = await takeAndAdmit({ ...deps, database: on }, asked, () => assert.fail('it took them too'));
    assert.deepEqual([first.kind, (await second)?.kind], ['replayed', 'admitted']);
  });

  test('take none if a default limit would refuse them', async () => {
    const { accountId } = await world.account('by default', { creditMicros: priceMicros });
    const limitDefaults = { account: { total: priceMicros - 1n }, key: {} };
    const taken = () => assert.fail('it took the inputs');
    assert.equal((await takeAndAdmit({ ...deps, limitDefaults }, payable(accountId), taken)).kind, 'limited');
  });

  test('delete them if admission is full, and keep them if it may have admitted', async () => {
    const { accountId } = await world.account('no room', { creditMicros: 9n * priceMicros });
    for (const [error, discarded] of [
      [new Overloaded(), 1],
      [new Error('the answer was lost'), 0],
    ] as const) {
      let discards = 0;
      const refused = create(
        accountId,
        () => Promise.reject(error),
        async () => {
          discards += 1;
        },
      );
      await assert.rejects(refused, error);
      assert.equal(discards, discarded, error.message);
    }
  });
});

test('only its holder extends and releases a key’s reservation', async () => {
  const { accountId } = world;
  const { accountId: other } = await world.account('other holds', {});
  const place = { accountId, key: 'held', fingerprint: 'same', holdMs: 8_000 };
  const neighbours = [
    { ...place, key: 'other' },
    { ...place, accountId: other },
  ];
  const as = (holder: string, held = place) => ({
    hold: () => database.transaction((tx) => holdKeyIfFree(tx, { ...held, holder })),
    extend: () => database.transaction((tx) => extendHold(tx, { ...held, holder, holdMs: 80_000 })),
    release: () => database.transaction((tx) => releaseKey(tx, { ...held, holder })),
  });
  const [first, second] = [as('first'), as('second')];
  assert.deepEqual([await first.hold(), await second.hold()], [true, false]);
  await world.elapse(9_000);
  assert.equal(await second.hold(), true, 'who has not extended it has lost it');
  await first.release();
  assert.deepEqual([await first.hold(), await holdersOf(accountId)], [false, ['second']]);
  await first.extend();
  await world.elapse(9_000);
  assert.equal(await first.hold(), true, 'only its holder extends it');

  for (const one of neighbours) assert.equal(await as('first', one).hold(), true);
  await first.extend();
  await world.elapse(9_000);
  assert.equal(await second.hold(), false, 'who extends it keeps it');
  for (const one of neighbours) assert.equal(await as('third', one).hold(), true, 'and no other key');
  await world.elapse(9_000);
  for (const one of neighbours) assert.equal(await as('first', one).hold(), true);
  await first.release();
  assert.deepEqual([await holdersOf(accountId), await holdersOf(other)], [['first'], ['first']]);
  for (const one of neighbours) await as('first', one).release();
});
