import { SettingError } from '../errors.ts';
import { defaultRoutes } from '../jobs/routes/default-routes.ts';
import type { ProviderKeys } from '../jobs/routes/open-routes.ts';
import type { RouteEnvironment } from '../jobs/routes/resolve-routes.ts';
import type { FileModels } from '../upstream/catalog/file-models.ts';
import { specifiedModels } from '../upstream/catalog/specified-models.ts';
import { addressVariable, providerKinds, providers } from '../upstream/providers/providers.ts';

type Environment = Record<string, string | undefined>;

/** Reads the providers' base URLs, and the routes of all models except those in `routed`. @throws SettingError */
export function readRouteEnvironment(env: Environment, routed: readonly string[]): RouteEnvironment {
  const addresses = Object.entries(addressVariables).flatMap(([provider, name]) => {
    const text = env[name];
    if (text && !/^https?:\/\//.test(text))
      throw new SettingError(`${name} must be an address that starts with http:// or https://`);
    return text ? [[provider, text] as const] : [];
  });
  const chosen = providerKinds.find((kind) => providers[kind].environment.isChosen?.(env)) ?? 'sketch';
  const { whenChosenAlone } = providers[chosen].environment;
  if (whenChosenAlone !== undefined && specifiedModels.some(({ id }) => !routed.includes(id)))
    throw new SettingError(whenChosenAlone);
  const address = env[addressVariable(chosen) ?? ''] || undefined;
  return { implied: defaultRoutes(chosen, address), addresses: Object.fromEntries(addresses) };
}

/**
 * Reads the providers' keys, and the URLs to which they may be sent. The keys must not get into a file or log.
 * @throws SettingError
 */
export function readKeys(env: Environment, models: FileModels): ProviderKeys {
  return {
    ...Object.fromEntries(providerKinds.map((kind) => [kind, providers[kind].environment.credentials(env)])),
    openaiCompatible: { apiKey: env.OPENAI_COMPATIBLE_API_KEY },
    named: namedAddresses(env, models),
  };
}

/** The addresses in the environment, and those of the file's routes whose key is in the environment. */
function namedAddresses(
  env: Environment,
  { definitions, routes }: FileModels,
): NonNullable<ProviderKeys['named']> {
  const ofRoutes = [...definitions.flatMap(({ routes: own = [] }) => own), ...Object.values(routes).flat()]
    .filter(({ connection }) => connection === undefined)
    .map(({ provider, baseUrl }) => ({ provider, address: baseUrl }));
  const ofEnvironment = Object.entries(addressVariables).map(([provider, name]) => ({
    provider,
    address: env[name],
  }));
  const all = [...ofRoutes, ...ofEnvironment].filter(
    (one): one is { provider: string; address: string } =>
      typeof one.address === 'string' && one.address !== '',
  );
  return Object.fromEntries(
    [...Map.groupBy(all, ({ provider }) => provider)].map(([provider, named]) => [
      provider,
      named.map(({ address }) => address),
    ]),
  );
}

const addressVariables: Readonly<Record<string, string>> = Object.fromEntries(
  providerKinds.flatMap((kind) => {
    const name = addressVariable(kind);
    return name === undefined ? [] : [[kind, name]];
  }),
);
