import type { ModelId } from '../catalog/models.ts';
import type { Provider } from '../providers/provider.ts';

/** How a picture of another shape is made to fit: cut at the edges, or set on a blurred copy of itself. */
export const fits = ['crop', 'extend'] as const;
export type Fit = (typeof fits)[number];

/** A provider and upstream model that can serve one of our models. */
export interface Route {
  /** `nb2/sketch`: unique, stable, written to jobs, logs and metrics. */
  id: string;
  model: ModelId;
  provider: Provider;
  /** Jobs at once, over all workers together. */
  slots: number;
  /** The longest an attempt may take. */
  timeoutMs: number;
  /** Attempts begun in any minute, over all workers together. */
  perMinute?: number;
  /** Serves ratios that the upstream does not know, by the nearest that it does. */
  fit?: Fit;
  /** Serves resolutions that are larger than what the upstream makes. */
  upscale?: boolean;
}
