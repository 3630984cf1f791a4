import { parseMicros } from '../../money/ledger/money.ts';
import type { ModelId, Resolution } from '../../upstream/catalog/models.ts';
import type { Provider } from '../../upstream/providers/provider.ts';

/** How an image of another shape is made to fit: cropped, or set on a blurred copy of itself. */
export const fits = ['crop', 'extend'] as const;
export type Fit = (typeof fits)[number];

/** A provider and upstream model that can serve one of our models. */
export interface Route {
  /** `nb2/sketch`: unique, stable, written to jobs, logs and metrics. */
  id: string;
  model: ModelId;
  provider: Provider;
  /** The most jobs at once, over all workers. */
  slots: number;
  /** The longest that an attempt may take. */
  timeoutMs: number;
  /** The most attempts begun in any minute, over all workers. */
  perMinute?: number;
  /** Serves ratios that the upstream does not make, from the nearest that it does. */
  fit?: Fit;
  /** Serves resolutions larger than the upstream makes. */
  upscale?: boolean;
  /** The parameters of the model by name, and where the upstream's request has them. */
  parameters?: Readonly<Record<string, string>>;
  /** Neighbours with a weight share jobs by it. */
  weight?: number;
  /** The cheapest of its model's routes is tried first. */
  byCost?: true;
  /** The upstream's cost of an image, as the operator estimates it. */
  cost?: CostEstimate;
}

/** A decimal amount, or one for each resolution. */
type CostEstimate = string | Readonly<Record<Resolution, string>>;

/** Null where the operator gave none. */
export function estimateOf({ cost }: Pick<Route, 'cost'>, resolution: Resolution): bigint | null {
  const amount = typeof cost === 'string' ? cost : cost?.[resolution];
  return (amount === undefined ? undefined : parseMicros(amount)) ?? null;
}
