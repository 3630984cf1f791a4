import type { FastifyInstance } from 'fastify';
import type { ApiKey } from '../../../accounts/key-store.ts';
import type { Model } from '../../../upstream/catalog/models.ts';
import type { DoorDeps } from '../door-deps.ts';
import { findNamed, googleNames } from './model-names.ts';

export function registerModelCalls(
  server: FastifyInstance,
  deps: DoorDeps,
  constraints: Record<string, string>,
): void {
  // Answers with all models on one page, because they are few. Ignores a requested page size.
  server.get('/models', { constraints }, async ({ apiKey }) => ({
    models: everyName(deps).flatMap((name) => {
      const model = findNamed(deps, name);
      return mayUse(apiKey, model) ? [present(name, model)] : [];
    }),
  }));

  server.get<{ Params: { name: string } }>('/models/:name', { constraints }, async ({ params: { name } }) =>
    present(name, findNamed(deps, name)),
  );
}

function everyName({ catalogue, aliases }: DoorDeps): string[] {
  const others = [...aliases, ...googleNames].filter(([, id]) => catalogue.find(id)).map(([name]) => name);
  return [...new Set([...catalogue.list().map(({ id }) => id), ...others])];
}

function mayUse({ models }: ApiKey, { id }: Model): boolean {
  return models === null || models.includes(id);
}

function present(name: string, { id, name: displayName, description, version }: Model) {
  return {
    name: `models/${name}`,
    baseModelId: id,
    version: String(version),
    displayName,
    description,
    supportedGenerationMethods: ['generateContent', 'streamGenerateContent'],
  };
}
