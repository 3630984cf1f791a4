import { invalidField } from '../../../errors.ts';
import { formatMicros } from '../../../money/ledger/money.ts';

// Stripe's lists: https://docs.stripe.com/currencies#zero-decimal, and #three-decimal. Amounts with three decimals must
// end in 0.
const withoutDecimals = 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ');
const withThree = 'BHD JOD KWD OMR TND'.split(' ');
const leastOfThree = 10n;
// Stripe's special cases: amounts have two decimals, and both must be 0.
const whole = ['ISK', 'UGX'];

/** Converts to the smallest unit, such as cents. @throws AppError `invalid_request` for a fraction of this unit */
export function minorOf(micros: bigint, currency: string): number {
  const step = stepOf(currency);
  if (micros % step.micros === 0n) return Number((micros / step.micros) * step.minor);
  throw invalidField('/amount', `must be a whole multiple of ${formatMicros(step.micros)}.`);
}

/** The smallest amount that can be charged, in micro-units and in the currency's smallest unit. */
function stepOf(currency: string): { micros: bigint; minor: bigint } {
  if (withoutDecimals.includes(currency)) return { micros: 1_000_000n, minor: 1n };
  if (whole.includes(currency)) return { micros: 1_000_000n, minor: 100n };
  if (withThree.includes(currency)) return { micros: 1_000n * leastOfThree, minor: leastOfThree };
  return { micros: 10_000n, minor: 1n };
}
