import { SettingError } from '../errors.ts';
import type { Guard } from '../guard/guard.ts';
import { createProvider, type ProviderChoice, type ProviderKeys } from '../providers/create-provider.ts';
import type { Provider } from '../providers/provider.ts';
import type { Route } from './route.ts';

/** A route as it is configured. Never holds a key. */
export type RouteSettings = Omit<Route, 'provider'> & ProviderChoice;

/**
 * Opens the configured routes with their providers. @throws SettingError for a route whose provider cannot
 * work
 */
export function openRoutes(settings: readonly RouteSettings[], keys: ProviderKeys, guard: Guard): Route[] {
  return settings.map(({ provider, settings, ...route }) => ({
    ...route,
    provider: openProvider(route.id, { provider, settings } as ProviderChoice, keys, guard), // split one line above
  }));
}

/** The upstream's name of the model, if the settings give it. */
export function upstreamOf({ provider, settings }: ProviderChoice): string | null {
  if (provider === 'sketch') return 'sketch-1';
  return settings.model ?? null;
}

function openProvider(id: string, choice: ProviderChoice, keys: ProviderKeys, guard: Guard): Provider {
  try {
    return createProvider(choice, keys, guard);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    throw new SettingError(`The route ${id} cannot work: ${error.message}.`, { cause: error });
  }
}
