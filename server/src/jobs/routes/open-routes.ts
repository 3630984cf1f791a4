import type { Guard } from '../../base/guard/guard.ts';
import { SettingError } from '../../errors.ts';
import { type Connection, givenWith } from '../../upstream/connections/connection.ts';
import { createProvider } from '../../upstream/providers/create-provider.ts';
import { type Given, isOwnAddress } from '../../upstream/providers/given-credentials.ts';
import type { Provider } from '../../upstream/providers/provider.ts';
import type { CredentialsOf, ProviderChoice, ProviderKind } from '../../upstream/providers/providers.ts';
import type { Route } from './route.ts';

/** A route as configured. Never contains a key. */
export type RouteSettings = Omit<Route, 'provider'> & ProviderChoice & { connection?: string };

/** The environment's credentials, shared by the routes of a provider. */
export interface ProviderKeys extends Partial<CredentialsOf> {
  /** The key for servers that speak OpenAI's protocol, which never get OpenAI's own key. */
  openaiCompatible?: CredentialsOf['openai'];
  /**
   * Addresses from the environment and the file, by provider. Only these get the keys, because whoever can set an
   * address there may decide where the keys go.
   */
  named?: Partial<Record<ProviderKind, readonly string[]>>;
}

export interface Credentials {
  /** The keys for routes without a connection. */
  keys: ProviderKeys;
  connections: ReadonlyMap<string, Connection>;
}

export function openRoutes(
  settings: readonly RouteSettings[],
  credentials: Credentials,
  guard: Guard,
): Route[] {
  return settings.map((one) => openRoute(one, credentials, guard));
}

/** @throws SettingError if the route's provider cannot work */
export function openRoute(
  { provider, settings, connection: name, ...route }: RouteSettings,
  { keys, connections }: Credentials,
  guard: Guard,
): Route {
  const choice = { provider, settings } as ProviderChoice; // the parameter list had split it
  const connection = name === undefined ? undefined : connections.get(name);
  try {
    return {
      ...route,
      provider: connection
        ? createProvider(choice, [givenWith(connection)], guard)
        : openByEnvironment(choice, keys, guard),
    };
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    throw new SettingError(`The route ${route.id} cannot work: ${error.message}.`, { cause: error });
  }
}

/** The model's name at the upstream; null if the settings leave it to the provider. */
export function upstreamOf({ provider, settings }: ProviderChoice): string | null {
  if (provider === 'sketch') return 'sketch-1';
  return settings.model ?? null;
}

function openByEnvironment(choice: ProviderChoice, keys: ProviderKeys, guard: Guard): Provider {
  const provider = createProvider(choice, givenByEnvironment(choice.provider, keys), guard);
  const isKept = isCompatible(choice) && keys.openai?.apiKey && !keys.openaiCompatible?.apiKey;
  return isKept && !provider.warnings?.length ? { ...provider, warnings: [keptKey] } : provider;
}

function givenByEnvironment(
  provider: ProviderKind,
  keys: ProviderKeys,
): Given<CredentialsOf[ProviderKind]>[] {
  const named = keys.named?.[provider] ?? [];
  const own = keys[provider] ?? {};
  if (provider !== 'openai') return [{ credentials: own, addresses: [undefined, ...named] }];
  return [
    { credentials: own, addresses: [undefined] },
    { credentials: keys.openaiCompatible ?? {}, addresses: named },
  ];
}

function isCompatible({ provider, settings }: ProviderChoice): boolean {
  return provider === 'openai' && settings.baseUrl !== undefined && !isOwnAddress(provider, settings.baseUrl);
}

const keptKey =
  'OPENAI_API_KEY goes to OpenAI alone. If this server wants a key, set OPENAI_COMPATIBLE_API_KEY.';
