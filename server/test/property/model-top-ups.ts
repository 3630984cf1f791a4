import type { Refusal } from '../../src/accounts/payments/payment-provider.ts';
import type { BankMood } from './bank.ts';
import { addTo, type ModelAccount, type ModelPayment, type ModelState } from './model.ts';

export interface ModelTopUp {
  state: 'off' | 'on' | 'stopped';
  stoppedBy: Refusal | null;
  card: string | null;
  /** Of the card that was saved last, even if it is removed. */
  cardSavedAt: number;
  threshold: bigint;
  amount: bigint;
  month: bigint;
}

export const noTopUp: ModelTopUp = {
  ...{ state: 'off', stoppedBy: null, card: null, cardSavedAt: 0 },
  ...{ threshold: 0n, amount: 0n, month: 0n },
};

export interface ModelCharge {
  state: 'open' | 'paid' | 'failed';
  /** Null until the bank has been reached. */
  says: BankMood['says'] | null;
  card: string | null;
  createdAt: number;
  askedAt: number;
}

export type ModelCharged = ModelPayment & { charge: ModelCharge };

export const isCharge = (payment: ModelPayment): payment is ModelCharged => payment.charge !== null;

const askAgainMs = 10 * 60_000;
const repeatableMs = 23 * 60 * 60_000;

export function topUpAll(state: ModelState, mood: BankMood): void {
  for (;;) {
    const late = state.payments.filter(isCharge).find(({ charge }) => isUnanswered(charge, state.nowMs));
    const low = state.accounts.find((account) => isLow(state, account));
    if (late) askAgain(state, late, mood);
    else if (low) charge(state, low, mood);
    else return;
  }
}

function askAgain({ nowMs }: ModelState, late: ModelCharged, mood: BankMood): void {
  const { charge } = late;
  charge.askedAt = nowMs;
  const isKnown = mood.answer === 'comes' || mood.answer === 'late';
  if (nowMs - charge.createdAt < repeatableMs && isWanted(late)) ask(late, mood);
  else if (isKnown && charge.says !== 'asked') charge.state = 'failed';
}

function isWanted({ account: { topUp, debt }, charge }: ModelCharged): boolean {
  return topUp.state === 'on' && topUp.card === charge.card && debt === 0n;
}

function charge({ payments, nowMs }: ModelState, account: ModelAccount, mood: BankMood): void {
  const { card } = account.topUp;
  const charge: ModelCharge = { state: 'open', says: null, card, createdAt: nowMs, askedAt: nowMs };
  const payment = { id: '', account, amount: account.topUp.amount, reversals: new Map(), charge };
  payments.push(payment);
  ask(payment, mood);
}

function isUnanswered({ state, askedAt }: ModelCharge, nowMs: number): boolean {
  return state === 'open' && nowMs - askedAt > askAgainMs;
}

function isLow(state: ModelState, account: ModelAccount): boolean {
  const { balance, reserved, debt, topUp } = account;
  if (topUp.state !== 'on' || debt > 0n || isDisputed(state, account)) return false;
  if (balance - reserved >= topUp.threshold) return false;
  const charges = state.payments.filter(isCharge).filter((one) => one.account === account);
  if (charges.some(({ charge }) => charge.state === 'open')) return false;
  const month = monthOf(state.nowMs);
  const used = charges
    .filter(({ charge }) => charge.state !== 'failed' && monthOf(charge.createdAt) === month)
    .reduce((sum, { amount }) => sum + amount, 0n);
  return used + topUp.amount <= topUp.month;
}

export function isDisputed({ payments }: ModelState, account: ModelAccount): boolean {
  return payments.some(({ account: whose, reversals }) => {
    const dispute = reversals.get('Dispute');
    return whose === account && dispute?.state === 'taken' && !dispute.isOver;
  });
}

function ask(payment: ModelCharged, { says, answer }: BankMood): void {
  if (answer === 'away') return;
  payment.charge.says ??= says;
  // A charge counts only when an event reports it.
  if (answer === 'late' || (answer === 'comes' && payment.charge.says !== 'asked')) hear(payment);
}

export function hear({ account, amount, charge }: ModelCharged): void {
  if (charge.says === 'asked') {
    if (charge.state !== 'paid') addTo(account, amount);
    charge.state = 'paid';
  } else if (charge.says !== null && charge.state === 'open') {
    charge.state = 'failed';
    stop(account, charge.says);
  }
}

export function stop({ topUp }: ModelAccount, reason: Refusal): void {
  if (topUp.state === 'on') Object.assign(topUp, { state: 'stopped', stoppedBy: reason });
}

function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}
