import type { LiveRoutes } from '../../../../jobs/routes/live-routes.ts';
import { connectableForms } from '../../../../upstream/providers/probe-connection.ts';
import { providerKinds, providers } from '../../../../upstream/providers/providers.ts';
import { type ConnectionCallDeps, presentConnections } from '../../nouns/connections/connection-calls.ts';

export interface ConnectionsPageDeps
  extends Pick<ConnectionCallDeps, 'database' | 'ofFile' | 'fileModels' | 'readConnections'> {
  routes: LiveRoutes;
  installation: { settings: readonly { name: string; source: string }[] };
}

export async function readConnectionsPage(deps: ConnectionsPageDeps) {
  return {
    data: await presentConnections(deps),
    environment: ofEnvironment(deps),
    providers: connectableForms().map(({ provider, name, about, needsAddress, keyless, advice }) => ({
      provider,
      name,
      about,
      needs_address: needsAddress,
      /** `elsewhere` if only the provider's own address needs a key. */
      needs_key: needsKey[keyless],
      key_advice: advice.key,
      address_advice: advice.address,
    })),
  };
}

const needsKey = { never: 'always', elsewhere: 'elsewhere', always: 'never' } as const;

/** Connections from the environment have no name, and only variables can change them. */
function ofEnvironment({ installation, routes }: ConnectionsPageDeps) {
  const set = installation.settings.filter(({ source }) => source === 'environment').map(({ name }) => name);
  return providerKinds.flatMap((provider) => {
    const variables = providers[provider].environment.variables
      .map(({ name }) => name)
      .filter((name) => set.includes(name));
    const through = routes
      .settings()
      .filter((route) => route.connection === undefined && route.provider === provider);
    const models = [...new Set(through.map(({ model }) => model))];
    return variables.length > 0 ? [{ provider: provider as string, variables, models }] : [];
  });
}
