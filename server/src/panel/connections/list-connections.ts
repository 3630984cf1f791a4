import type { RouteDefinition } from '../../catalog/model-definition.ts';
import type { ModelId } from '../../catalog/models.ts';
import { shownAddress } from '../../connections/address.ts';
import type { Connection } from '../../connections/connection.ts';
import { listConnections, type StoredConnection } from '../../connections/connection-store.ts';
import { connectableForms } from '../../providers/probe-connection.ts';
import { providerKinds, providers } from '../../providers/providers.ts';
import { toIso } from '../../std/iso-time.ts';
import type { PanelDeps } from '../panel-deps.ts';
import type { ConnectableProvider, ConnectionRow, Connections } from './contract.ts';

type Deps = Pick<
  PanelDeps,
  'database' | 'catalogue' | 'ofFile' | 'fileModels' | 'readConnections' | 'routes' | 'installation'
>;

/** All connections, without their credentials. */
export async function presentConnections(deps: Deps): Promise<Connections> {
  const { database } = deps;
  const readable = await deps.readConnections();
  const stored = (await listConnections(database.read)).filter(({ name }) => !deps.ofFile.has(name));
  const rows = [
    ...[...deps.ofFile.values()].map((connection) => ofFile(deps, connection)),
    ...stored.map((connection) =>
      ofOperator(connection, readable.get(connection.name), modelsOf(deps, connection)),
    ),
  ];
  return {
    data: rows.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    environment: ofEnvironment(deps),
    providers: connectableForms().map(
      ({ provider, name, about, needsAddress, keyless, advice }): ConnectableProvider => ({
        provider,
        name,
        about,
        needs_address: needsAddress,
        needs_key: needsKey[keyless],
        key_advice: advice.key,
        address_advice: advice.address,
      }),
    ),
  };
}

const needsKey = { never: 'always', elsewhere: 'elsewhere', always: 'never' } as const;

/** The models whose newest version has a route through the connection. */
export function modelsOf({ catalogue }: Pick<Deps, 'catalogue'>, { name }: { name: string }): ModelId[] {
  const isThrough = (route: RouteDefinition) => route.connection === name;
  return catalogue
    .newest()
    .flatMap(({ model, definition }) => (definition?.routes?.some(isThrough) ? [model] : []));
}

function ofFile(deps: Deps, connection: Connection): ConnectionRow {
  const { name, provider, baseUrl, credentialFrom } = connection;
  const file = deps.fileModels.path;
  const key = credentialFrom === undefined ? '' : `, with the key of ${credentialFrom}`;
  return {
    name,
    provider,
    base_url: baseUrl === undefined ? null : shownAddress(baseUrl),
    key: credentialFrom === undefined ? 'none' : 'set',
    locked: `/connections/${name} in ${file}${key}`,
    changed_at: null,
    changed_by: null,
    models: modelsOf(deps, connection),
  };
}

function ofOperator(
  { name, provider, baseUrl, credential, changedAt, changedBy }: StoredConnection,
  opened: Connection | undefined,
  models: ModelId[],
): ConnectionRow {
  const isLost = credential !== null && opened?.credential === undefined;
  return {
    name,
    provider,
    base_url: baseUrl && shownAddress(baseUrl),
    key: credential === null ? 'none' : isLost ? 'unreadable' : 'set',
    locked: null,
    changed_at: toIso(changedAt),
    changed_by: changedBy,
    models,
  };
}

function ofEnvironment({ installation, routes }: Deps): Connections['environment'] {
  const set = installation.settings.filter(({ source }) => source === 'environment').map(({ name }) => name);
  return providerKinds.flatMap((provider) => {
    const own = providers[provider].environment.variables
      .map(({ name }) => name)
      .filter((name) => set.includes(name));
    const through = routes
      .settings()
      .filter((route) => route.connection === undefined && route.provider === provider);
    const models = [...new Set(through.map(({ model }) => model))];
    return own.length > 0 ? [{ provider, variables: own, models }] : [];
  });
}
