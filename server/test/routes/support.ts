import { createGuard } from '../../src/base/guard/guard.ts';
import { type Environment, readConfig } from '../../src/config/config.ts';
import { openRoutes, type ProviderKeys } from '../../src/jobs/routes/open-routes.ts';
import type { Route } from '../../src/jobs/routes/route.ts';
import { toModel } from '../../src/upstream/catalog/model-definition.ts';
import { allRatios, type Model, resolutions } from '../../src/upstream/catalog/models.ts';
import { specifiedModels } from '../../src/upstream/catalog/specified-models.ts';
import type { Capabilities, Provider } from '../../src/upstream/providers/provider.ts';

export const credentials = (keys: ProviderKeys) => ({ keys, connections: new Map() });
export const models = specifiedModels.map((definition) => toModel(definition, 1));
export function modelOf(id: string): Model {
  const model = models.find((one) => one.id === id);
  if (!model) throw new Error(`there is no model ${id}`);
  return model;
}

export const guard = createGuard({ allowNetworks: [] });

export function pretended(capabilities: Partial<Capabilities> = {}): Provider {
  return {
    id: 'pretended',
    model: 'p-1',
    capabilities: {
      ratios: allRatios,
      resolutions,
      maxInputs: 14,
      resumable: false,
      ...capabilities,
    },
    takesField: () => true,
    generate: () => Promise.reject(new Error('only pretended')),
    check: async () => ({ ok: true }),
  };
}

export function pretendedRoute(
  id: string,
  { capabilities, ...more }: Partial<Omit<Route, 'provider'>> & { capabilities?: Partial<Capabilities> } = {},
): Route {
  return { id, model: 'nb2', slots: 4, timeoutMs: 30_000, ...more, provider: pretended(capabilities) };
}

export function defaultsOf(env: Environment): Route[] {
  const { routes, providerKeys } = readConfig(env);
  return openRoutes(routes, credentials(providerKeys), guard);
}

export async function eventually<T>(look: () => Promise<T>, isRight: (found: T) => boolean): Promise<T> {
  for (const deadline = Date.now() + 30_000; ; ) {
    const found = await look();
    if (isRight(found)) return found;
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(found)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
