import type { Model } from '../../upstream/catalog/models.ts';
import type { DoorDeps } from './door-deps.ts';

/** The alias that stands for a request without a model. */
const defaultName = 'default';
const defaultModel = 'pro';

/**
 * The model of that id, or for which that name stands: an alias of the operator, else one that the door knows
 * by itself. Without a name the model of the alias `default`, else `pro`, else the first there is.
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
