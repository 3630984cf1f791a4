import type { ModelId } from '../../upstream/catalog/models.ts';
import type { UsualRoutes } from '../../upstream/providers/descriptor.ts';
import { type ProviderKind, providers } from '../../upstream/providers/providers.ts';
import type { RouteEntry } from './route-definition.ts';

type DefaultRoutes = Readonly<Record<ModelId, readonly RouteEntry[]>>;

/** The specified models' routes through this provider. Empty if it needs more than a key and an address. */
export function defaultRoutes(provider: ProviderKind, address?: string): DefaultRoutes {
  const usual: UsualRoutes<object> = providers[provider].routes?.(address) ?? {};
  return Object.fromEntries(
    Object.entries(usual).map(([model, routes]) => [
      model,
      routes.map((route) => ({ provider, ...route }) as RouteEntry), // with the settings of this provider
    ]),
  );
}
