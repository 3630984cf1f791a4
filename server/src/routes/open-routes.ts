import { SettingError } from '../errors.ts';
import type { Guard } from '../guard/guard.ts';
import { type CredentialsOf, createProvider, type ProviderChoice } from '../providers/create-provider.ts';
import { isOpenAi } from '../providers/openai/own-address.ts';
import type { Provider } from '../providers/provider.ts';
import type { Route } from './route.ts';

/** A route as it is configured. Never holds a key. */
export type RouteSettings = Omit<Route, 'provider'> & ProviderChoice;

/** The credentials of the environment, which the routes of a provider share. */
export interface ProviderKeys extends Partial<CredentialsOf> {
  /** For servers that speak OpenAI's protocol. They never get the key of OpenAI itself. */
  openaiCompatible?: CredentialsOf['openai'];
}

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
    if (!isCompatible(choice)) return createProvider(choice, keys[choice.provider] ?? {}, guard);
    const provider = createProvider(choice, keys.openaiCompatible ?? {}, guard);
    const isKept = keys.openai?.apiKey && !keys.openaiCompatible?.apiKey;
    return isKept ? { ...provider, warnings: [keptKey] } : provider;
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    throw new SettingError(`The route ${id} cannot work: ${error.message}.`, { cause: error });
  }
}

function isCompatible({ provider, settings }: ProviderChoice): boolean {
  return provider === 'openai' && settings.baseUrl !== undefined && !isOpenAi(settings.baseUrl);
}

const keptKey =
  'OPENAI_API_KEY goes to OpenAI alone. If this server wants a key, set OPENAI_COMPATIBLE_API_KEY.';
