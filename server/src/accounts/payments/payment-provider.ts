import { AppError } from '../../errors.ts';

/** A provider that takes payments on its own pages and reports their results. Each provider has a folder. */
export interface PaymentProvider {
  /** The provider's name in payments and paths, such as `stripe`. */
  name: string;
  title: string;
  /** @throws AppError `payments_unavailable` */
  openCheckout(payment: NewCheckout): Promise<{ url: string }>;
  /**
   * Reads a message to `POST /payments/stripe`. Returns no events if the message does not concern us.
   * @throws AppError `invalid_request` unless the provider sent the message; `payments_unavailable`
   */
  readMessage(body: Buffer, headers: Record<string, string | string[] | undefined>): Promise<PaymentEvent[]>;
  /** Lists all events since this time, in any order. @throws AppError `payments_unavailable` if listing cannot go on */
  listSince(sinceMs: number): AsyncIterable<PaymentEvent | UnreadEvent>;
  /** Charges saved cards; null if the provider cannot charge them. */
  cards: CardCharger | null;
}

export interface CardCharger {
  /** @throws AppError `invalid_request` for an amount that cannot be charged in this currency */
  assertAmount(amountMicros: bigint, currency: string): void;
  /** `customer` is the account's id at the provider, perhaps a new one. @throws AppError `payments_unavailable` */
  openPage(page: NewCardPage): Promise<{ url: string; customer: string }>;
  /**
   * Charges once, even if the call is repeated within a day. Only events report success.
   * @throws AppError `payments_unavailable`
   */
  charge(charge: Charge): Promise<'asked' | Refusal>;
  /** Whether a charge that is too old to repeat was or is being made. @throws AppError `payments_unavailable` */
  wasCharged(charge: Charge & { createdAt: number }): Promise<boolean>;
  /** @throws AppError `payments_unavailable` */
  forget(card: string): Promise<void>;
}

export const refusals = ['declined', 'authentication_required', 'card_removed', 'disputed'] as const;
export type Refusal = (typeof refusals)[number];

export interface Card {
  id: string;
  brand: string;
  last4: string;
  /** The last month in which the card is valid: `2029-08`. */
  ends: string;
}

export interface NewCardPage {
  accountId: string;
  /** The account's id at the provider; null before the first page. */
  customer: string | null;
  /** The page on which the person continues, with or without a card. */
  savedUrl: string;
  cancelledUrl: string;
}

export interface Charge {
  paymentId: string;
  accountId: string;
  amountMicros: bigint;
  currency: string;
  customer: string;
  card: string;
}

export interface NewCheckout {
  paymentId: string;
  accountId: string;
  amountMicros: bigint;
  /** ISO 4217. */
  currency: string;
  /** The pages to which the person returns after paying or cancelling. */
  paidUrl: string;
  cancelledUrl: string;
}

/** An event, which can arrive more than once, in any order, and at any process. */
export type PaymentEvent = PaidEvent | FailedEvent | ReversalEvent | CardEvent | CardGoneEvent;

/** An event whose form is unknown, or for which a request to the provider failed. */
export interface UnreadEvent {
  kind: 'unread';
  name: string;
  reason: string;
}

/** A payment with everything needed to credit it, even if its row here is gone. */
export interface PaidEvent {
  kind: 'paid';
  paymentId: string;
  accountId: string;
  amountMicros: bigint;
  /** The provider's id for the payment. */
  reference: string;
  /** The charged amount including taxes, in the smallest unit of the currency. */
  chargedMinor: number;
  /** The receipt or invoice, if it was requested and found. */
  receiptUrl?: string;
}

export interface FailedEvent {
  kind: 'failed';
  paymentId: string;
  refusal?: Refusal;
}

export interface CardEvent {
  kind: 'card';
  /** When the card was saved, by the provider's clock. The card saved last is charged. */
  savedAt: number;
  accountId: string;
  customer: string;
  card: Card;
}

export interface CardGoneEvent {
  kind: 'card_gone';
  card: string;
}

/** A refund or dispute. `returned`: the refund failed or the dispute was won. A won dispute can still be lost. */
export interface ReversalEvent {
  kind: 'reversal';
  state: 'taken' | 'returned';
  /** The time of the report, by the provider's clock. The latest report of a reversal wins. */
  saidAt: number;
  /** The provider's id of the refund or dispute. */
  reference: string;
  what: 'refund' | 'dispute';
  /** True if the dispute is lost. */
  isOver?: boolean;
  /** The amount in the currency's smallest unit, taxes included. */
  minor: number;
  /** The payment that was refunded or disputed, wholly or in part. */
  of: PaidEvent;
}

const awaySeconds = 30;

export function paymentsUnavailable(cause: unknown): AppError {
  return new AppError(
    'payments_unavailable',
    'The payment service does not answer, or refuses the request. Nothing was charged. Try again later.',
    { retryAfterSeconds: awaySeconds },
    { cause },
  );
}
