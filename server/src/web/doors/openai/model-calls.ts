import type { FastifyInstance } from 'fastify';
import type { ModelVersion } from '../../../upstream/catalog/version-store.ts';
import type { DoorDeps } from '../door-deps.ts';
import { findModel } from '../find-model.ts';
import { modelAliases } from './model-aliases.ts';
import { toSeconds } from './unix-time.ts';
import { unknownModel } from './unknown-model.ts';

export function registerModelCalls(server: FastifyInstance, deps: DoorDeps): void {
  const { catalogue } = deps;

  server.get('/models', async ({ apiKey }) => ({
    object: 'list',
    data: catalogue
      .newest()
      .filter(({ model, definition }) => definition && mayUse(apiKey.models, model))
      .map((version) => present(version.model, version)),
  }));

  server.get<{ Params: { name: string } }>('/models/:name', async ({ apiKey, params: { name } }) => {
    const model = findModel(deps, name, modelAliases);
    const version = catalogue.newest().find((one) => one.model === model?.id);
    if (!version || !mayUse(apiKey.models, version.model)) throw unknownModel(deps, name);
    return present(name, version);
  });
}

function mayUse(models: readonly string[] | null, id: string): boolean {
  return models === null || models.includes(id);
}

function present(id: string, { createdAt }: ModelVersion) {
  return { id, object: 'model', created: toSeconds(createdAt), owned_by: 'darkroom' };
}
