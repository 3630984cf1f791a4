import type { BookedCost } from '../../upstream/prices/rate-book.ts';
import type { Use } from '../../upstream/prices/rates.ts';
import type { MadeImage, ToldCharge } from '../../upstream/providers/provider.ts';
import { type Charge, type ChargeQuestion, decideCharge } from './charge.ts';

export interface ChargeMeter {
  ask(generate: (onCharge: (told: ToldCharge) => void) => Promise<MadeImage>): Promise<MadeImage>;
  charge(): Charge;
}

/** Records whether the upstream got a request, and the price that its answers state. */
export function meterCharge(
  amounts: Pick<ChargeQuestion, 'estimateMicros' | 'currency'>,
  priceOf: (used: Use) => BookedCost | undefined,
): ChargeMeter {
  let wasAsked = false;
  let told: ToldCharge | undefined;
  let error: unknown = 'no answer yet';
  return {
    async ask(generate) {
      wasAsked = true;
      try {
        const made = await generate((charge) => {
          told = charge;
        });
        error = undefined;
        return made;
      } catch (failure) {
        error = failure;
        throw failure;
      }
    },
    charge: () =>
      decideCharge({ ...amounts, wasAsked, told, booked: told?.used && priceOf(told.used), error }),
  };
}
