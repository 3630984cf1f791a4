import {
  type CardCharger,
  type FailedEvent,
  type PaidEvent,
  paymentsUnavailable,
  type Refusal,
} from '../../src/accounts/payments/payment-provider.ts';
import type { Clock } from '../../src/base/std/clock.ts';

export interface BankMood {
  says: 'asked' | Refusal;
  /** `late`: the answer comes after the event with the result. `lost`: it never comes. `away`: no charge was made. */
  answer: 'comes' | 'late' | 'lost' | 'away';
}

type Charged = Pick<PaidEvent, 'paymentId' | 'accountId' | 'amountMicros'>;

/** Charges cards as Stripe does: once per payment, which the bank remembers for a day. */
export interface Bank extends CardCharger {
  mood: BankMood;
  charged: Charged[];
}

export const chargedMinor = 100;
const rememberedMs = 24 * 60 * 60_000;

export function createBank(clock: Clock, tell: (event: PaidEvent | FailedEvent) => Promise<void>): Bank {
  const asked = new Map<string, { says: BankMood['says']; at: number }>();
  const bank: Bank = {
    ...{ mood: { says: 'asked', answer: 'comes' }, charged: [] },
    assertAmount: () => {},
    openPage: () => Promise.reject(new Error('nobody leaves a card on a page')),
    async charge({ paymentId, accountId, amountMicros }) {
      const { answer, says: wanted } = bank.mood;
      if (answer === 'away') throw paymentsUnavailable('away');
      const before = asked.get(paymentId);
      const isKnown = before !== undefined && clock.nowMs() - before.at < rememberedMs;
      const says = isKnown ? before.says : wanted;
      const charge = { paymentId, accountId, amountMicros };
      if (!isKnown) {
        asked.set(paymentId, { says, at: clock.nowMs() });
        if (says === 'asked') bank.charged.push(charge);
      }
      if (answer === 'lost') throw paymentsUnavailable('lost');
      if (answer === 'late') await tell(eventOf(charge, says));
      return says;
    },
    async wasCharged({ paymentId }) {
      if (bank.mood.answer === 'away' || bank.mood.answer === 'lost') throw paymentsUnavailable('away');
      return bank.charged.some((charge) => charge.paymentId === paymentId);
    },
    forget: async () => {},
  };
  return bank;
}

export function eventOf(charge: Charged, says: BankMood['says']): PaidEvent | FailedEvent {
  const { paymentId } = charge;
  return says === 'asked' ? paidOf(charge) : { kind: 'failed', paymentId, refusal: says };
}

export function paidOf(charge: Charged): PaidEvent {
  return { kind: 'paid', ...charge, reference: `pi_${charge.paymentId}`, chargedMinor };
}
