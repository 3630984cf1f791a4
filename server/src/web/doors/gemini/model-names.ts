import { AppError } from '../../../errors.ts';
import type { Model, ModelId } from '../../../upstream/catalog/models.ts';
import type { DoorDeps } from '../door-deps.ts';
import { findModel } from '../find-model.ts';

/** Each name maps to our model of the same class. */
export const googleNames: ReadonlyMap<string, ModelId> = new Map([
  ['gemini-2.5-flash-image', 'nb'],
  ['gemini-2.5-flash-image-preview', 'nb'],
  ['gemini-3.1-flash-lite-image', 'nb'],
  ['gemini-3.1-flash-image', 'nb2'],
  ['gemini-3.1-flash-image-preview', 'nb2'],
  ['gemini-nano-banana-2.1', 'nb2'],
  ['gemini-3-pro-image', 'pro'],
  ['gemini-3-pro-image-preview', 'pro'],
  ['nano-banana-pro-preview', 'pro'],
]);

/** Finds the model with this name, ours or Google's. @throws AppError `not_found` */
export function findNamed(deps: Pick<DoorDeps, 'catalogue' | 'aliases'>, name: string): Model {
  const model = findModel(deps, name, googleNames);
  if (model) return model;
  const ids = deps.catalogue.list().map(({ id }) => id);
  throw new AppError(
    'not_found',
    `models/${name.slice(0, 100)} is not found. There are ${ids.join(', ')}, and Google's names of image models that GET /v1beta/models lists.`,
  );
}
