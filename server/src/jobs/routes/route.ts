import { parseMicros } from '../../money/ledger/money.ts';
import type { ModelId, Resolution } from '../../upstream/catalog/models.ts';
import type { Provider } from '../../upstream/providers/provider.ts';

/** How an image of another shape is made to fit: cropped, or placed on a blurred copy of itself. */
export const fits = ['crop', 'extend'] as const;
export type Fit = (typeof fits)[number];

/** A provider and upstream model that can serve one of our models. */
export interface Route {
  /** The unique, stable id in jobs, logs and metrics, for example `nb2/sketch`. */
  id: string;
  model: ModelId;
  provider: Provider;
  /** The maximum number of concurrent jobs, over all workers. */
  slots: number;
  timeoutMs: number;
  /** The maximum number of attempts begun in any minute, over all workers. */
  perMinute?: number;
  /** How the route makes ratios that the upstream lacks, from the nearest ratio that the upstream has. */
  fit?: Fit;
  /** Whether the route serves resolutions above the upstream's largest. */
  upscale?: boolean;
  /** The fields of the upstream's request that take the model's parameters, by parameter name. */
  parameters?: Readonly<Record<string, string>>;
  /** Adjacent routes with a weight share jobs in proportion to their weights. */
  weight?: number;
  byCost?: true;
  cost?: CostEstimate;
}

/** A decimal amount for all resolutions, or one amount for each. */
type CostEstimate = string | Readonly<Record<Resolution, string>>;

export function estimateOf({ cost }: Pick<Route, 'cost'>, resolution: Resolution): bigint | null {
  const amount = typeof cost === 'string' ? cost : cost?.[resolution];
  return (amount === undefined ? undefined : parseMicros(amount)) ?? null;
}
