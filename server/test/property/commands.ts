import fc from 'fast-check';
import { asks } from './steps/asks.ts';
import { cancels } from './steps/cancels.ts';
import { operators } from './steps/operators.ts';
import { payments } from './steps/payments.ts';
import { prices } from './steps/prices.ts';
import { requests } from './steps/requests.ts';
import type { Kind, Step } from './steps/step.ts';
import { time } from './steps/time.ts';
import { topUps } from './steps/top-ups.ts';
import { work } from './steps/work.ts';

export const everything = kindsOf({
  ...{ ...asks, ...work, ...cancels, ...operators, ...prices },
  ...{ ...payments, ...topUps, ...time, ...requests },
});

/** Only the steps about money, so that they are frequent enough for charges to meet the results of earlier ones. */
export const money = kindsOf({ ...operators, ...payments, ...topUps });

export interface Kinds {
  names: string[];
  steps: fc.Arbitrary<Step>;
}

function kindsOf(kinds: Record<string, Kind>): Kinds {
  const weighted = Object.values(kinds).map(({ weight, steps }) => ({ weight, arbitrary: steps }));
  return { names: Object.keys(kinds), steps: fc.oneof(...weighted) };
}
