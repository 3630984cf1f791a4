import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import { rollUp } from '../../src/jobs/activity/roll-up.ts';
import { type Movement, movements } from '../../src/jobs/owed/owed-store.ts';
import type { OwedDay } from '../../src/jobs/owed/read-owed.ts';
import { eraseAccount } from '../../src/jobs/upkeep/erase-account.ts';
import { formatMicros, parseMicros } from '../../src/money/ledger/money.ts';
import { failure } from '../../src/upstream/providers/failure.ts';
import { openAdministration } from '../admin/admin-client.ts';
import { assertProblem } from '../http/support/refusal.ts';
import { bearer } from '../http/support/requests.ts';
import { expire, stepAtOnce } from '../world/expire.ts';
import { toNoon } from '../world/to-noon.ts';
import { openWorld, type World } from '../world/world.ts';

const dayMs = 24 * 60 * 60_000;
const nothing = { sold: 0n, voucher: 0n, given: 0n, refunded: 0n, taken: 0n, captured: 0n };

class Model {
  readonly days = new Map<string, Record<Movement, bigint>>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  today(): string {
    return new Date(this.#world.clock.nowMs()).toISOString().slice(0, 10);
  }

  move(kind: Movement, micros: bigint): void {
    const day = this.days.get(this.today()) ?? { ...nothing };
    this.days.set(this.today(), { ...day, [kind]: day[kind] + micros });
  }

  owedAfter(day: string): bigint {
    const until = [...this.days].filter(([one]) => one <= day);
    return until.reduce((sum, [, moved]) => sum + total(moved), 0n);
  }
}

function total(moved: Record<Movement, bigint>): bigint {
  return movements.reduce((sum, kind) => sum + moved[kind], 0n);
}

test('the owed sum agrees with the ledger, by day and by month, whatever happened, even after jobs and accounts are removed', async () => {
  await using world = await openWorld();
  const { database } = world.app;
  const admin = await openAdministration(world);
  const model = new Model(world);
  model.move('given', 200_000_000n); // the demo account's credit, and the world's
  await toNoon(world);
  const accounts = await Promise.all(['one', 'two', 'three'].map((name) => world.account(name)));
  await admin().creditAccount('three', { amount: '1', reason: 'a gift that stays' });
  model.move('given', 1_000_000n);
  const random = randomFrom(7);
  const credits: { account: string; entry: string | null; left: bigint; sold: boolean }[] = [];

  const credit = async (account: string, sold: boolean) => {
    const micros = BigInt(random(9_000_000) + 1);
    const named = sold ? { reference: `pi_${credits.length}` } : { reason: 'a gift' };
    const { entry_id: entry } = await admin().creditAccount(account, {
      amount: formatMicros(micros),
      ...named,
    });
    credits.push({ account, entry, left: micros, sold });
    model.move(sold ? 'sold' : 'given', micros);
  };
  const redeem = async (account: string, key: string) => {
    const { codes } = await admin().createVouchers({ amount: '0.123457', count: 1 });
    const reply = await world.send('POST', '/vouchers/redeem', {
      body: { code: codes[0] },
      headers: bearer(key),
    });
    assert.equal(reply.status, 200);
    const { data } = await admin().listEntries(account, { limit: 1 });
    credits.push({ account, entry: data[0]?.entry_id ?? null, left: 123_457n, sold: false });
    model.move('voucher', 123_457n);
  };
  const debit = async (account: string, how: 'corrects' | 'reference' | 'reason') => {
    const { available } = await admin().getAccount(account);
    const of =
      how === 'corrects' ? credits.find((one) => one.account === account && one.left > 0n) : undefined;
    const most = [parseMicros(available) ?? 0n, ...(of ? [of.left] : [])].reduce((a, b) => (a < b ? a : b));
    const micros = most / 2n;
    if (micros === 0n) return;
    if (of) of.left -= micros;
    await admin().debitAccount(account, {
      ...{ amount: formatMicros(micros), reason: 'for a reason' },
      ...(of?.entry && { corrects: of.entry }),
      ...(how === 'reference' && { reference: `re_${random(1e9)}` }),
    });
    model.move(of?.sold || how === 'reference' ? 'refunded' : 'taken', -micros);
  };
  const make = async (key: string, isBlocked: boolean) => {
    world.provider.handler = async (request) => {
      if (isBlocked) throw failure('safety_blocked');
      return world.provider.answer(request);
    };
    const path = random(2) === 0 ? '/nb2/text-generations' : '/nb/text-generations';
    const reply = await world.send('POST', path, {
      body: { prompt: 'a fox', aspect_ratio: '1:1' },
      headers: bearer(key),
    });
    if (reply.status === 402) return;
    assert.equal(reply.status, 202, JSON.stringify(reply.body));
    const job = await world.finished(String(reply.body.job_id), key);
    if (job.status === 'done') model.move('captured', -(parseMicros(String(job.price)) ?? 0n));
  };

  const assertDay = ({ day, owed, ...moved }: OwedDay) => {
    const expected = model.days.get(day) ?? nothing;
    assert.deepEqual(
      moved,
      Object.fromEntries(movements.map((kind) => [kind, formatMicros(expected[kind])])),
      day,
    );
    assert.equal(owed, formatMicros(model.owedAfter(day)), day);
  };
  const assertToday = async () => {
    const { data } = await admin().owed({ from: model.today() });
    assertDay(data[0] ?? assert.fail());
  };
  for (let step = 0; step < 24; step += 1) {
    await world.elapse(random(9) * dayMs);
    for (let act = random(6); act >= 0; act -= 1) {
      const { accountId, key } = accounts[random(2)] ?? assert.fail();
      const acts = [
        () => credit(accountId, true),
        () => credit(accountId, false),
        () => redeem(accountId, key),
        () => debit(accountId, 'corrects'),
        () => debit(accountId, 'reference'),
        () => debit(accountId, 'reason'),
        () => make(key, false),
        () => make(key, false),
        () => make(key, true),
      ];
      await acts[random(acts.length)]?.();
      await assertToday();
    }
    if (random(3) === 0) await rollUp(database, stepAtOnce(database));
  }

  const assertEqual = async () => {
    const { data: accounts } = await admin().listAccounts();
    const balances = accounts.reduce((sum, { balance }) => sum + (parseMicros(balance) ?? 0n), 0n);
    const { data: days } = await admin().owed({ from: [...model.days.keys()][3] ?? '' });
    assert.equal(days[0]?.owed, formatMicros(balances), 'owed now is what all accounts have');
    for (const day of days) assertDay(day);
    const months = await admin().listInstallationStatements();
    assert.ok(months.length > 2);
    const statements = await Promise.all(months.map((month) => admin().readInstallationStatement(month)));
    for (const { month, lines, opening_balance: opening, closing_balance: closing } of statements) {
      const within = [...model.days].filter(([day]) => day.startsWith(month));
      for (const kind of movements) {
        const sum = lines
          .filter((line) => line.kind === kind)
          .reduce((all, { amount }) => all + micros(amount), 0n);
        assert.equal(
          sum,
          within.reduce((all, [, moved]) => all + moved[kind], 0n),
          `${kind} in ${month}`,
        );
      }
      assert.equal(micros(opening), model.owedAfter(`${month}-00`));
      assert.equal(micros(closing), model.owedAfter(`${month}-31`));
    }
    return statements;
  };
  const before = await assertEqual();
  const [, last] = before;
  assert.equal(last?.closed, true);
  const captured = last.lines.filter(({ kind }) => kind === 'captured').map(({ model: id }) => id);
  assert.deepEqual(captured, ['nb', 'nb2'], 'what was captured stands by model');
  const table = await admin().installationStatementTable(last.month);
  assert.match(table, /^item,model,entries,amount\r\nopening_balance,,,/);
  assert.match(await admin().owedTable(), /^day,sold,voucher,given,refunded,taken,captured,owed\r\n/);

  await world.elapse(40 * dayMs);
  await rollUp(database, stepAtOnce(database));
  await expire(world.app, -1);
  const gone = { routes: { list: () => [] }, onSettled() {}, onTakenAway() {}, mayRemove: async () => true };
  await eraseAccount({ ...world.app, ...gone }, { account: 'three', name: 'three' }, commandLine);
  await eraseAccount({ ...world.app, ...gone }, { account: 'one', name: 'one' }, commandLine);
  const after = await assertEqual();
  const closedBefore = before.filter(({ closed }) => closed);
  assert.deepEqual(
    after.filter(({ month }) => closedBefore.some((one) => one.month === month)),
    closedBefore,
  );
  const erased = (await admin().listAccounts()).data
    .filter(({ erased_at: at }) => at !== null)
    .reduce((sum, { balance }) => sum + micros(balance), 0n);
  assert.ok(erased >= 1_000_000n);
  assert.equal((await admin().owed()).erased, formatMicros(erased));
});

test('a payment of a debt is refunded as a debit, and a failed refund is not a sale', async () => {
  await using world = await openWorld({ worker: false });
  const admin = await openAdministration(world);
  const { accountId } = await world.account('pays debts');
  const credit = (amount: string, reference: string) =>
    admin().creditAccount(accountId, { amount, reference });
  const { entry_id: corrects } = await credit('10', 'pi_1');
  await admin().debitAccount(accountId, { amount: '4', reason: 'a refund', reference: 're_1' });
  await admin().debitAccount(accountId, { amount: '3', reason: 'its rest', corrects: corrects ?? '' });
  await credit('2.5', 'returned re_1');
  const { data } = await admin().owed();
  assert.deepEqual([data[0]?.sold, data[0]?.refunded, data[0]?.taken], ['10.00', '-4.50', '0.00']);
  const { lines } = await admin().readInstallationStatement(String(data[0]?.day).slice(0, 7));
  const moved = lines.map(({ kind, entries, amount }) => [kind, entries, amount]);
  assert.deepEqual(
    moved.filter(([kind]) => kind !== 'given'),
    [
      ['sold', 1, '10.00'],
      ['refunded', 3, '-4.50'],
    ],
  );
});

test('invalid or future days and months are refused as for margins and accounts', async () => {
  await using world = await openWorld({ worker: false });
  const admin = await openAdministration(world);
  const refused = (status: number) => (error: { status?: number }) => error.status === status;
  await assert.rejects(admin().owed({ from: '2026-02-30x' }), refused(422));
  await assert.rejects(admin().owed({ from: '2020-01-01' }), refused(422), 'more than two years');
  await assert.rejects(admin().readInstallationStatement('9999-01'), refused(422));
  await assert.rejects(admin().readInstallationStatement('1969-12'), refused(404));
  const { data } = await admin().owed({ from: '2020-01-01', to: '2020-01-02' });
  assert.deepEqual(
    data.map(({ day, owed }) => [day, owed]),
    [
      ['2020-01-02', '0.00'],
      ['2020-01-01', '0.00'],
    ],
  );
  assertProblem(await world.send('GET', '/owed'), 404, 'not_found');
});

function micros(amount: string): bigint {
  const sign = amount.startsWith('-') ? -1n : 1n;
  return sign * (parseMicros(amount.replace('-', '')) ?? assert.fail(amount));
}

function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}
