import fc from 'fast-check';
import { settlePayment } from '../../../src/accounts/payments/settle-payment.ts';
import { newId } from '../../../src/base/std/ids.ts';
import { tellLowBalances } from '../../../src/notify/alerts/tell-low-balances.ts';
import { addTo, type ModelPayment, type ModelState } from '../model.ts';
import type { System } from '../system.ts';
import { accountAt, accountIndex, index, type Kind, step } from './step.ts';

type Paid = { account: number; amount: bigint; times: number };
type Reversed = { payment: number; what: string; state: 'taken' | 'returned' };

/** What a provider of payments says, some of it twice, and of refunds the end before the beginning. */
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
        what: fc.constantFrom('Refund', 'Dispute', 'Second refund'),
        state: fc.constantFrom('taken' as const, 'taken' as const, 'returned' as const),
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
    };
    state.payments.push(payment);
    for (let time = 0; time < drawn.times; time += 1) await settle(system, paidOf(payment));
    addTo(account, drawn.amount);
  });
}

/** All of it goes back, and more than once where it is disputed as well. */
function reverse(drawn: Reversed) {
  return step('reverse', drawn, async (state: ModelState, system) => {
    const payment = state.payments[drawn.payment % state.payments.length];
    if (!payment) return;
    const { account, amount, reversals } = payment;
    const before = reversals.get(drawn.what);
    const reference = `${drawn.what} ${payment.id}`;
    const said = { kind: 'reversal', reference, what: drawn.what, minor: 100 } as const;
    await settle(system, { ...said, state: drawn.state, of: paidOf(payment) });
    if (before === 'returned' || before === drawn.state) return;
    reversals.set(drawn.what, drawn.state);
    if (drawn.state === 'returned') {
      if (before === 'taken') addTo(account, amount);
      return;
    }
    const available = account.balance - account.reserved;
    const taken = amount < available ? amount : available;
    account.balance -= taken;
    account.debt += amount - taken;
  });
}

function paidOf({ id, account, amount }: ModelPayment) {
  const whose = { paymentId: id, accountId: account.id, amountMicros: amount };
  return { kind: 'paid', ...whose, reference: `pi_${id}`, chargedMinor: 100 } as const;
}

function settle({ database }: System, event: Parameters<typeof settlePayment>[1]): Promise<void> {
  const provider = { name: 'stripe', title: 'Stripe' };
  return settlePayment({ database, provider, tellBalances: tellLowBalances }, event);
}
