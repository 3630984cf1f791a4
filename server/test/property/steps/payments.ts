import fc from 'fast-check';
import { debitAccount } from '../../../src/accounts/debit-account.ts';
import { commandLine } from '../../../src/base/audit/audit-store.ts';
import { newId } from '../../../src/base/std/ids.ts';
import { tellLowBalances } from '../../../src/notify/alerts/tell-low-balances.ts';
import { chargedMinor, paidOf } from '../bank.ts';
import { addTo, type ModelPayment, type ModelState, take } from '../model.ts';
import { hear, isCharge, stop } from '../model-top-ups.ts';
import { accountAt, accountIndex, index, type Kind, step } from './step.ts';

type Paid = { account: number; amount: bigint; times: number };
type Reversed = {
  payment: number;
  what: string;
  isSpent: boolean;
  state: 'taken' | 'returned' | 'lost';
  saidAt: number;
  minor: number;
};

/** A payment provider's events, some of them sent twice, and some refunds' end before their beginning. */
export const payments: Record<string, Kind> = {
  pay: {
    weight: 3,
    steps: fc
      .record({ account: accountIndex, amount: fc.bigInt(1n, 300_000n), times: fc.constantFrom(1, 2) })
      .map(pay),
  },
  reverse: {
    weight: 6,
    steps: fc
      .record({
        payment: index,
        isSpent: fc.boolean(),
        what: fc.constantFrom('Refund', 'Dispute', 'Second refund'),
        state: fc.constantFrom('taken', 'taken', 'returned', 'lost'),
        saidAt: fc.integer({ min: 1, max: 4 }),
        minor: fc.constantFrom(chargedMinor, chargedMinor, 70, 20),
      })
      .map(reverse),
  },
};

function pay(drawn: Paid) {
  return step('pay', drawn, async (state, system) => {
    const account = accountAt(state, drawn.account);
    const payment: ModelPayment = {
      id: newId(state.nowMs),
      account,
      amount: drawn.amount,
      reversals: new Map(),
      charge: null,
    };
    state.payments.push(payment);
    for (let time = 0; time < drawn.times; time += 1) await system.settle(eventOf(payment));
    addTo(account, drawn.amount);
  });
}

/** Reverses at most the whole payment, however often it is refunded and disputed. Part of it may have been spent. */
function reverse(drawn: Reversed) {
  return step('reverse', drawn, async (state: ModelState, system) => {
    const payment = state.payments[drawn.payment % state.payments.length];
    if (!payment || (isCharge(payment) && payment.charge.says !== 'asked')) return;
    const { account, reversals } = payment;
    const available = account.balance - account.reserved;
    if (drawn.isSpent && available > 0n) {
      const told = { database: system.database, tellBalances: tellLowBalances };
      await debitAccount(
        told,
        { account: account.id, amountMicros: available, reason: 'spent' },
        commandLine,
      );
      take(account, available);
    }
    const before = reversals.get(drawn.what);
    const reversedBefore = reversedOf(payment);
    const reference = `${drawn.what} ${payment.id}`;
    const what = drawn.what === 'Dispute' ? 'dispute' : 'refund';
    const { saidAt, minor } = drawn;
    const becomes = drawn.state === 'returned' ? 'returned' : 'taken';
    const isOver = drawn.state === 'lost' && what === 'dispute';
    const said = { kind: 'reversal', reference, what, state: becomes, saidAt, isOver, minor } as const;
    await system.settle({ ...said, of: eventOf(payment) });
    // A reversal implies the payment, even if its event never came.
    if (isCharge(payment)) hear(payment);
    const isLater = before?.state === 'taken' && (becomes === 'returned' || (isOver && !before.isOver));
    const isNews = !before || saidAt > before.saidAt || (saidAt === before.saidAt && isLater);
    if (isNews) reversals.set(drawn.what, { state: becomes, saidAt, isOver, minor });
    if (isNews && what === 'dispute' && becomes === 'taken' && !isOver) stop(account, 'disputed');
    const more = reversedOf(payment) - reversedBefore;
    if (more < 0n) addTo(account, -more);
    if (more <= 0n) return;
    const left = account.balance - account.reserved;
    const taken = more < left ? more : left;
    take(account, taken);
    account.debt += more - taken;
  });
}

function reversedOf({ amount, reversals }: ModelPayment): bigint {
  const taken = [...reversals.values()].filter(({ state }) => state === 'taken');
  const minor = taken.reduce((sum, one) => sum + one.minor, 0);
  return (amount * BigInt(Math.min(minor, chargedMinor))) / BigInt(chargedMinor);
}

function eventOf({ id: paymentId, account, amount: amountMicros }: ModelPayment) {
  return paidOf({ paymentId, accountId: account.id, amountMicros });
}
