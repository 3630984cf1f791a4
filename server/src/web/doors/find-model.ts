import type { Model } from '../../upstream/catalog/models.ts';
import type { DoorDeps } from './door-deps.ts';

/** The alias for requests without a model. */
const defaultName = 'default';
const defaultModel = 'pro';

/**
 * Finds a model by its name. An operator's alias wins over the vendor's name. If there is no name, finds the model of
 * the alias `default`, or else `pro`, or else the first model.
 */
export function findModel(
  { catalogue, aliases }: Pick<DoorDeps, 'catalogue' | 'aliases'>,
  name: string | undefined,
  ofDoor: Pick<ReadonlyMap<string, string>, 'get'>,
): Model | undefined {
  if (name === undefined) {
    const id = aliases.get(defaultName) ?? defaultModel;
    return catalogue.find(id) ?? catalogue.list()[0];
  }
  return catalogue.find(name) ?? catalogue.find(aliases.get(name) ?? ofDoor.get(name) ?? '');
}
