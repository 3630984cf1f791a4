import fc from 'fast-check';
import { asks } from './steps/asks.ts';
import { cancels } from './steps/cancels.ts';
import { operators } from './steps/operators.ts';
import { payments } from './steps/payments.ts';
import { prices } from './steps/prices.ts';
import { requests } from './steps/requests.ts';
import type { Step } from './steps/step.ts';
import { time } from './steps/time.ts';
import { work } from './steps/work.ts';

/** Every kind of step by its name; the weights keep queues filled and money short. */
const kinds = { ...asks, ...work, ...cancels, ...operators, ...prices, ...payments, ...time, ...requests };

export const stepNames = Object.keys(kinds);

export const steps: fc.Arbitrary<Step> = fc.oneof(
  ...Object.values(kinds).map(({ weight, steps }) => ({ weight, arbitrary: steps })),
);
