import { AppError } from '../../errors.ts';

/** A provider that takes payments on pages of its own, and reports their results. One folder each. */
export interface PaymentProvider {
  /** The name in payments and paths: `stripe`. */
  name: string;
  /** The name for people. */
  title: string;
  /**
   * A page on which somebody pays.
   *
   * @throws AppError `payments_unavailable`
   */
  openCheckout(payment: NewCheckout): Promise<{ url: string }>;
  /**
   * Reads a message to `POST /payments/stripe`; empty if it is of no concern.
   *
   * @throws AppError `invalid_request` for one that the provider did not send; `payments_unavailable` when it had to be asked for more
   */
  readMessage(body: Buffer, headers: Record<string, string | string[] | undefined>): Promise<PaymentEvent[]>;
  /**
   * Lists the provider's events since then in any order, delivered or not. Only what keeps it from listing more is thrown.
   *
   * @throws AppError `payments_unavailable`
   */
  listSince(sinceMs: number): AsyncIterable<PaymentEvent | UnreadEvent>;
  /** Null where it charges no cards while nobody is there. */
  cards: CardCharger | null;
}

/** Charges cards that people left. */
export interface CardCharger {
  /** @throws AppError `invalid_request` for an amount that cannot be charged in this currency */
  assertAmount(amountMicros: bigint, currency: string): void;
  /**
   * A page on which somebody leaves a card.
   *
   * @returns as whom the provider knows the account from now on
   * @throws AppError `payments_unavailable`
   */
  openPage(page: NewCardPage): Promise<{ url: string; customer: string }>;
  /**
   * Charges a card once, however often it is asked for the same payment within a day of its writing. That it was charged is said by
   * an event alone.
   *
   * @throws AppError `payments_unavailable` where it is not known what became of it
   */
  charge(charge: Charge): Promise<'asked' | Refusal>;
  /** Whether it was charged, or is being charged, when it is too late to ask for it again. @throws AppError `payments_unavailable` */
  wasCharged(charge: Charge & { createdAt: number }): Promise<boolean>;
  /** @throws AppError `payments_unavailable` */
  forget(card: string): Promise<void>;
}

/** Why a card is charged no more. */
export const refusals = ['declined', 'authentication_required', 'card_removed', 'disputed'] as const;
export type Refusal = (typeof refusals)[number];

export interface Card {
  /** The provider's id. */
  id: string;
  /** `visa` */
  brand: string;
  last4: string;
  /** The last month of the card: `2029-08`. */
  ends: string;
}

export interface NewCardPage {
  accountId: string;
  /** The provider's id of the account; null before the first card. */
  customer: string | null;
  /** The page where the person continues, with or without a card. */
  savedUrl: string;
  cancelledUrl: string;
}

export interface Charge {
  paymentId: string;
  accountId: string;
  amountMicros: bigint;
  currency: string;
  customer: string;
  /** The id of the card. */
  card: string;
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

/** An event may come more than once, in any order, and to any process. */
export type PaymentEvent = PaidEvent | FailedEvent | ReversalEvent | CardEvent | CardGoneEvent;

/** An event that cannot be read yet: its form is not known here, or the provider did not answer what was asked about it. */
export interface UnreadEvent {
  kind: 'unread';
  /** The type and id of the event. */
  name: string;
  reason: string;
}

/** All of a payment that is needed, so that it is credited even where nothing is known of it any more. */
export interface PaidEvent {
  kind: 'paid';
  paymentId: string;
  accountId: string;
  amountMicros: bigint;
  /** The provider's name for the payment. */
  reference: string;
  /** The charged amount with taxes, in the smallest unit of the currency. */
  chargedMinor: number;
  /** The provider's own, or its invoice; only where it was asked for, and found. */
  receiptUrl?: string;
}

export interface FailedEvent {
  kind: 'failed';
  paymentId: string;
  /** The refusal of a card that was charged while nobody was there. */
  refusal?: Refusal;
}

/** A person left a card. */
export interface CardEvent {
  kind: 'card';
  accountId: string;
  customer: string;
  card: Card;
}

/** The card was removed from the account at the provider. */
export interface CardGoneEvent {
  kind: 'card_gone';
  card: string;
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
  /** True of a dispute that is lost. */
  isOver?: boolean;
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
