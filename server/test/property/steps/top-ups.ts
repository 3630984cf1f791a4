import assert from 'node:assert/strict';
import fc from 'fast-check';
import { changeTopUp, removeTopUp } from '../../../src/accounts/payments/top-ups/change-top-up.ts';
import { topUpAccounts } from '../../../src/accounts/payments/top-ups/top-up-accounts.ts';
import { commandLine } from '../../../src/base/audit/audit-store.ts';
import { AppError } from '../../../src/errors.ts';
import { tellPayments } from '../../../src/notify/alerts/tell-payments.ts';
import { silentLog } from '../../world/silent-log.ts';
import { type BankMood, eventOf } from '../bank.ts';
import type { ModelState } from '../model.ts';
import { hear, isCharge, isDisputed, noTopUp, stop, topUpAll } from '../model-top-ups.ts';
import { type System, stripe } from '../system.ts';
import { accountAt, accountIndex, index, type Kind, step } from './step.ts';
import { letPass } from './time.ts';

const times = fc.constantFrom(1, 2);
/** Whether a card was saved before all others, and is reported after them. */
const isLate = fc.constantFrom(true, false, false);
const settings = fc.record({
  account: accountIndex,
  threshold: fc.constantFrom(1n, 1_000_000n, 5_000_000n, 5_000_000n, 5_000_000n),
  amount: fc.bigInt(1n, 300_000n),
  /** How often a card may be charged per month. */
  often: fc.constantFrom(0n, 1n, 2n, 2n, 3n, 3n, 20n),
});
type Settings = typeof settings extends fc.Arbitrary<infer Value> ? Value : never;
const mood = fc.record({
  says: fc.oneof(
    { weight: 6, arbitrary: fc.constant('asked' as const) },
    { weight: 2, arbitrary: fc.constantFrom('declined', 'authentication_required', 'card_removed') },
  ),
  answer: fc.constantFrom('comes', 'comes', 'late', 'late', 'lost', 'away'),
});

export const topUps: Record<string, Kind> = {
  card: { weight: 3, steps: fc.record({ account: accountIndex, times, isLate }).map(leaveCard) },
  'card gone': { weight: 1, steps: fc.record({ card: index, times }).map(loseCard) },
  'top-up on': { weight: 4, steps: settings.map(turnOn) },
  'top-up off': { weight: 1, steps: accountIndex.map(turnOff) },
  'top up': { weight: 7, steps: mood.map(topUp) },
  hear: { weight: 5, steps: fc.record({ charge: index, times }).map(hearOf) },
  // Delays within which a charge may be repeated, and a longer one.
  late: {
    weight: 3,
    steps: fc.constantFrom(11 * 60_000, 11 * 60_000, 23 * 60 * 60_000, 25 * 60 * 60_000).map(beLate),
  },
};

function leaveCard(drawn: { account: number; times: number; isLate: boolean }) {
  return step('card', drawn, async (state, system) => {
    const { id, topUp } = accountAt(state, drawn.account);
    const card = `pm_${state.cards.length}`;
    state.cards.push(card);
    const details = { id: card, brand: 'visa', last4: '4242', ends: '2031-08' };
    const savedAt = drawn.isLate ? 1 : 1 + state.cards.length;
    const event = { kind: 'card', savedAt, accountId: id, customer: `cus_${id}`, card: details } as const;
    for (let time = 0; time < drawn.times; time += 1) await system.settle(event);
    if (savedAt < topUp.cardSavedAt) return;
    Object.assign(topUp, { card, cardSavedAt: savedAt });
  });
}

function loseCard(drawn: { card: number; times: number }) {
  return step('card gone', drawn, async (state, system) => {
    const card = state.cards[drawn.card % state.cards.length];
    if (card === undefined) return;
    for (let time = 0; time < drawn.times; time += 1) await system.settle({ kind: 'card_gone', card });
    const account = state.accounts.find(({ topUp }) => topUp.card === card);
    if (!account) return;
    stop(account, 'card_removed');
    account.topUp.card = null;
  });
}

function turnOn(drawn: Settings) {
  return step('top-up on', drawn, async (state, { database, till }) => {
    const account = accountAt(state, drawn.account);
    const { threshold, amount } = drawn;
    const month = amount * drawn.often;
    const changed = changeTopUp(
      { database, payments: till, cards: till.bank, currency: 'USD' },
      { accountId: account.id, thresholdMicros: threshold, amountMicros: amount, monthMicros: month },
      commandLine,
    );
    if (month < amount || account.topUp.card === null || isDisputed(state, account))
      return assert.rejects(
        changed,
        (error) => error instanceof AppError && error.code === 'invalid_request',
      );
    await changed;
    Object.assign(account.topUp, { state: 'on', stoppedBy: null, threshold, amount, month });
  });
}

function turnOff(drawn: number) {
  return step('top-up off', drawn, async (state, { database }) => {
    const { id, topUp } = accountAt(state, drawn);
    assert.equal(await removeTopUp({ database }, id, commandLine), topUp.card);
    Object.assign(topUp, noTopUp, { cardSavedAt: topUp.cardSavedAt });
  });
}

function topUp(mood: BankMood) {
  return step('top up', mood, async (state, system) => {
    const { database, till } = system;
    till.bank.mood = mood;
    const deps = { database, ...tellPayments, currency: 'USD', log: silentLog, onAsked: () => {} };
    const look = () => topUpAccounts({ ...deps, provider: stripe, cards: till.bank });
    await Promise.all([look(), look()]);
    let charges = await listCharges(system);
    for (let before = 0; charges.length > before; charges = await listCharges(system)) {
      before = charges.length;
      await look();
    }
    topUpAll(state, mood);
    nameCharges(state, charges);
  });
}

function listCharges({ database }: System) {
  return database.read
    .selectFrom('payments')
    .select(['id', 'account_id'])
    .where('card', 'is not', null)
    .execute();
}

function nameCharges({ payments }: ModelState, rows: Awaited<ReturnType<typeof listCharges>>): void {
  for (const payment of payments.filter(({ id }) => id === '')) {
    const named = new Set(payments.map(({ id }) => id));
    const row = rows.find(({ id, account_id }) => account_id === payment.account.id && !named.has(id));
    payment.id = row?.id ?? 'none';
  }
}

function hearOf(drawn: { charge: number; times: number }) {
  return step('hear', drawn, async (state, system) => {
    const charges = state.payments.filter(isCharge).filter(({ charge }) => charge.says !== null);
    const payment = charges[drawn.charge % charges.length];
    if (!payment) return;
    const { id: paymentId, account, amount: amountMicros, charge } = payment;
    const event = eventOf({ paymentId, accountId: account.id, amountMicros }, charge.says ?? 'asked');
    for (let time = 0; time < drawn.times; time += 1) await system.settle(event);
    hear(payment);
  });
}

function beLate(ms: number) {
  return step('late', ms, (state, system) => letPass(state, system, ms));
}
