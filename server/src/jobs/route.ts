import type { ModelId } from '../catalog/models.ts';
import type { Provider } from '../providers/provider.ts';

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
}

/** Routes in the order in which they are tried. */
export function routesOf(routes: readonly Route[], model: ModelId): Route[] {
  return routes.filter((route) => route.model === model);
}
