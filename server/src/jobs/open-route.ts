import type { ModelId } from '../catalog/models.ts';
import type { Provider } from '../providers/provider.ts';
import { createSketch } from '../providers/sketch/sketch.ts';
import type { Route } from './route.ts';

export interface RouteSettings {
  model: ModelId;
  provider: string;
  slots: number;
  timeoutMs: number;
}

/** The configured routes with their providers. @throws TypeError for a provider that does not exist */
export function openRoutes(settings: readonly RouteSettings[]): Route[] {
  return settings.map(({ model, provider, slots, timeoutMs }) => ({
    id: `${model}/${provider}`,
    model,
    provider: openProvider(provider),
    slots,
    timeoutMs,
  }));
}

function openProvider(id: string): Provider {
  if (id === 'sketch') return createSketch();
  throw new TypeError(`There is no provider "${id}".`);
}
