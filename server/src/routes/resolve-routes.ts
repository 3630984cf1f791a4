import { availableParallelism } from 'node:os';
import type { RouteDefinition } from '../catalog/model-definition.ts';
import type { ModelId } from '../catalog/models.ts';
import type { ModelVersion } from '../catalog/version-store.ts';
import type { Connection } from '../connections/connection.ts';
import { SettingError } from '../errors.ts';
import type { ProviderChoice, ProviderKind } from '../providers/create-provider.ts';
import type { RouteSettings } from './open-routes.ts';
import type { RouteEntry } from './route-definition.ts';

// Hosted models work on many images at once; a graphics card works on one at a time, slowly.
const hosted = { slots: 8, timeoutSeconds: 300 };
const atHome = { slots: 1, timeoutSeconds: 300 };
const defaults: Record<ProviderKind, { slots: number; timeoutSeconds: number }> = {
  sketch: { slots: Math.max(2, availableParallelism()), timeoutSeconds: 120 },
  gemini: hosted,
  openai: hosted,
  fal: hosted,
  replicate: hosted,
  comfyui: atHome,
  automatic1111: atHome,
  azure: hosted,
  bfl: hosted,
  bedrock: hosted,
};

// Providers that are somewhere else for everybody, with the variable of their address.
const needsAddress: Partial<Record<ProviderKind, string>> = {
  comfyui: 'COMFYUI_URL',
  automatic1111: 'AUTOMATIC1111_URL',
  azure: 'AZURE_OPENAI_ENDPOINT',
};

/** A model with its own routes; undefined for those that the environment implies. */
export interface RoutedModel {
  id: ModelId;
  routes: readonly RouteDefinition[] | undefined;
}

export function routedModels(newest: readonly Pick<ModelVersion, 'definition'>[]): RoutedModel[] {
  return newest.flatMap(({ definition }) =>
    definition ? [{ id: definition.id, routes: definition.routes }] : [],
  );
}

/** What the environment says about routes. */
export interface RouteEnvironment {
  /** Of the specified models, when nobody sets any. */
  implied: Readonly<Record<ModelId, readonly RouteEntry[]>>;
  /** Addresses of providers whose routes do not name one. */
  addresses: Readonly<Partial<Record<ProviderKind, string>>>;
}

/**
 * The routes of these models, as they can be opened.
 *
 * @throws SettingError that names the first mistake and its place
 */
export function resolveRoutes(
  models: readonly RoutedModel[],
  environment: RouteEnvironment,
  connections: ReadonlyMap<string, Connection>,
): RouteSettings[] {
  const found = models.map((model) => ({
    model: model.id,
    entries: (model.routes ?? environment.implied[model.id] ?? []).map((route, index) =>
      withProvider(route, connections, placeOf(model, index)),
    ),
    place: (index: number) => placeOf(model, index),
  }));
  const isReal = found.some(({ entries }) => entries.some(({ entry }) => entry.provider !== 'sketch'));
  return found.flatMap(({ model, entries, place }) => {
    const ids = new Set<string>();
    return entries.map(({ entry, connection }, index) => {
      const id = idOf(model, entry, connection, ids, place(index));
      const safe = isReal ? withoutDirectives(entry, place(index)) : entry;
      const address = connection
        ? { ...(connection.baseUrl !== undefined && { baseUrl: connection.baseUrl }) }
        : withAddress(entry, environment, place(index));
      return toSettings({ id, model, connection: connection?.name }, safe, address);
    });
  });
}

function placeOf({ id, routes }: RoutedModel, index: number): string {
  return routes ? `/routes/${id}/${index}` : `the default route of ${id}`;
}

/** The definition was checked before it was stored; only its connection may have changed since. */
function withProvider(
  definition: RouteDefinition,
  connections: ReadonlyMap<string, Connection>,
  place: string,
): { entry: RouteEntry; connection?: Connection } {
  const { connection: name, ...rest } = definition;
  if (name === undefined) return { entry: definition as RouteEntry };
  const connection = connections.get(String(name));
  if (!connection) {
    const known = [...connections.keys()].join(', ') || 'none';
    throw new SettingError(`${place}/connection is "${name}", which does not exist (there are: ${known})`);
  }
  return { entry: { ...rest, provider: connection.provider } as RouteEntry, connection };
}

/**
 * Turns off the simulator's directives in prompts beside a provider that costs money.
 *
 * @throws SettingError
 */
function withoutDirectives(entry: RouteEntry, place: string): RouteEntry {
  if (entry.provider !== 'sketch') return entry;
  if (entry.directives || entry.crash)
    throw new SettingError(`${place}: orders in prompts are for tests, with no other provider than sketch`);
  return { ...entry, directives: false };
}

/** The route's own address, else the one in the environment. */
function withAddress(
  entry: RouteEntry,
  { addresses }: RouteEnvironment,
  place: string,
): { baseUrl?: string } {
  if (entry.provider === 'sketch') return {};
  if (entry.baseUrl !== undefined) {
    const url = URL.parse(entry.baseUrl);
    if (!url)
      throw new SettingError(`${place}/baseUrl must be an address such as https://images.example.com`);
    if (url.password)
      throw new SettingError(
        `${place}/baseUrl carries a password; addresses with one belong in the environment`,
      );
    return { baseUrl: entry.baseUrl };
  }
  const address = addresses[entry.provider];
  if (address !== undefined) return { baseUrl: address };
  const variable = needsAddress[entry.provider];
  if (variable !== undefined)
    throw new SettingError(`${place} needs a baseUrl, or ${variable} in the environment`);
  return {};
}

function idOf(
  model: ModelId,
  { name, provider }: RouteEntry,
  connection: Connection | undefined,
  taken: Set<string>,
  place: string,
): string {
  const wanted = `${model}/${name ?? connection?.name ?? provider}`;
  if (name !== undefined && taken.has(wanted))
    throw new SettingError(`${place}/name is "${name}", as that of another route of ${model}`);
  let id = wanted;
  for (let number = 2; taken.has(id); number += 1) id = `${wanted}-${number}`;
  taken.add(id);
  return id;
}

function toSettings(
  { id, model, connection }: { id: string; model: ModelId; connection: string | undefined },
  entry: RouteEntry,
  address: { baseUrl?: string },
): RouteSettings {
  const { provider, name: _name, slots, timeoutSeconds, perMinute, fit, upscale, ...more } = entry;
  const { parameters, weight, cost, ...settings } = more;
  return {
    id,
    model,
    ...(connection !== undefined && { connection }),
    slots: slots ?? defaults[provider].slots,
    timeoutMs: (timeoutSeconds ?? defaults[provider].timeoutSeconds) * 1000,
    ...(perMinute !== undefined && { perMinute }),
    ...(fit !== undefined && { fit }),
    ...(upscale !== undefined && { upscale }),
    ...(parameters !== undefined && { parameters }),
    ...(weight !== undefined && { weight }),
    ...(cost !== undefined && { cost }),
    // The schema of a route, with its address, is that of the provider's settings.
    ...({ provider, settings: { ...settings, ...address } } as ProviderChoice),
  };
}
