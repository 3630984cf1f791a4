import { AppError } from '../../errors.ts';

/** Takes payments on pages of its own, and says what became of them. One folder each. */
export interface PaymentProvider {
  /** As it is kept with payments, and in paths: `stripe`. */
  name: string;
  /** As people say it. */
  title: string;
  /**
   * A page on which somebody pays.
   *
   * @throws AppError `payments_unavailable`
   */
  openCheckout(payment: NewCheckout): Promise<{ url: string }>;
  /**
   * What a message says that came to `POST /payments/stripe`; empty where it is of no concern.
   *
   * @throws AppError `invalid_request` for one that it did not send; `payments_unavailable` when it had to be asked for more
   */
  readMessage(body: Buffer, headers: Record<string, string | string[] | undefined>): Promise<PaymentEvent[]>;
  /**
   * What it has said since then in any order, whether it came or not.
   *
   * @throws AppError `payments_unavailable`
   */
  listSince(sinceMs: number): AsyncIterable<PaymentEvent>;
}

export interface NewCheckout {
  paymentId: string;
  accountId: string;
  amountMicros: bigint;
  /** ISO 4217. */
  currency: string;
  /** The page where the person goes on, whether it was paid or not. */
  paidUrl: string;
  cancelledUrl: string;
}

/** It may come more than once, in any order, and to any process. */
export type PaymentEvent = PaidEvent | FailedEvent | ReversalEvent;

/** All of a payment that is needed, so that it is credited even where nothing is known of it any more. */
export interface PaidEvent {
  kind: 'paid';
  paymentId: string;
  accountId: string;
  amountMicros: bigint;
  /** The provider's name for the payment. */
  reference: string;
  /** With taxes, in the smallest unit of the currency. */
  chargedMinor: number;
  /** The provider's own, or its invoice; only where it was asked for, and found. */
  receiptUrl?: string;
}

interface FailedEvent {
  kind: 'failed';
  paymentId: string;
}

/** Money that went back to who paid; `returned`: the refund then failed, or the dispute was won. A dispute that was won can still be lost. */
export interface ReversalEvent {
  kind: 'reversal';
  state: 'taken' | 'returned';
  /** When the provider said so: what it said later counts. */
  saidAt: number;
  /** The provider's name for the refund or dispute. */
  reference: string;
  what: 'refund' | 'dispute';
  /** Counted in the smallest unit of the currency, taxes included. */
  minor: number;
  /** The payment, of which this is a part or all. */
  of: PaidEvent;
}

const awaySeconds = 30;

/** The provider does not answer, or refuses what it is asked. */
export function paymentsUnavailable(cause: unknown): AppError {
  return new AppError(
    'payments_unavailable',
    'The service that takes payments does not answer, or refuses. Nothing was charged. Try again later.',
    { retryAfterSeconds: awaySeconds },
    { cause },
  );
}
