import type { BookedCost } from '../../upstream/prices/rate-book.ts';
import {
  type FailureKind,
  ProviderError,
  reportedCurrency,
  type ToldCharge,
} from '../../upstream/providers/provider.ts';

export const billings = ['billed', 'not_billed', 'unknown'] as const;
/** Whether the upstream charges for an attempt. If this is `unknown`, only the vendor's bill can show it. */
export type Billed = (typeof billings)[number];

export interface Charge {
  billed: Billed;
  /** Micro-units; null if the cost or `billed` is unknown. */
  costMicros: bigint | null;
  /** The cost of an `unknown` attempt if it was billed, in the installation's currency. */
  possibleMicros: bigint | null;
  /** The currency of the cost; null for the installation's currency. */
  currency: string | null;
  usage: string | null;
}

export interface ChargeQuestion {
  /** Whether the upstream got a request. */
  wasAsked: boolean;
  told: ToldCharge | undefined;
  booked?: BookedCost | undefined;
  /** The reason why the upstream made no image; undefined if it made one, even if the attempt failed later. */
  error: unknown;
  estimateMicros: bigint | null;
  currency: string;
}

export const notBilled: Charge = {
  ...{ billed: 'not_billed', costMicros: null, possibleMicros: null, currency: null, usage: null },
};

/** The charge of an attempt whose upstream request another attempt resumes. That other one has the cost. */
export function resumedNext({ costMicros, possibleMicros, currency, usage }: Charge): Charge {
  return { ...notBilled, usage, possibleMicros: currency === null ? (possibleMicros ?? costMicros) : null };
}

/** The longest usage report to store; vendors' are shorter. */
const maxUsage = 4_000;

/** Decides the cost of an attempt. The operator's price takes precedence, because contracts differ. Pure. */
export function decideCharge(question: ChargeQuestion): Charge {
  const { wasAsked, told, error } = question;
  if (!wasAsked) return notBilled;
  const usage = writeUsage(told?.usage);
  const billed = error === undefined ? 'billed' : billedDespite(error, told);
  if (billed === 'not_billed') return { ...notBilled, usage };
  const { micros, currency } = amountOf(question);
  if (billed === 'billed') return { ...notBilled, billed, usage, currency, costMicros: micros };
  return { ...notBilled, billed, usage, possibleMicros: currency === null ? micros : null };
}

function amountOf({ booked, estimateMicros, currency }: ChargeQuestion) {
  if (estimateMicros !== null) return { micros: estimateMicros, currency: null };
  if (!booked) return { micros: null, currency: null };
  const { micros, isOwn } = booked;
  return { micros, currency: isOwn || currency === reportedCurrency ? null : reportedCurrency };
}

function billedDespite(error: unknown, told: ToldCharge | undefined): Billed {
  if ((told?.used ?? told?.usage) !== undefined && !told?.isEarly) return 'billed';
  if (!(error instanceof ProviderError) || error.sent || error.resumable || told) return 'unknown';
  return refusals.has(error.kind) ? 'not_billed' : 'unknown';
}

/**
 * Failures that vendors do not charge: Google for status 400 or 500 (ai.google.dev/gemini-api/docs/billing), fal for
 * 500 and above, the others for anything but finished images. None says whether blocked images are charged.
 */
const refusals = new Set<FailureKind>([
  ...(['auth', 'quota', 'rate_limited', 'model_not_found'] as const),
  ...(['invalid_input', 'unsupported', 'unavailable', 'network'] as const),
]);

function writeUsage(usage: unknown): string | null {
  if (typeof usage !== 'object' || usage === null) return null;
  const text = JSON.stringify(usage);
  return text.length > maxUsage ? null : text;
}
