import type { FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import type { Catalogue } from '../../upstream/catalog/catalogue.ts';
import type { Mode, Model } from '../../upstream/catalog/models.ts';

declare module 'fastify' {
  interface FastifyRequest {
    model: Model;
  }
}

/** The model whose paths for creating jobs have no prefix. */
export const rootModel = 'pro';

/** @throws AppError `not_found`, which lists the existing models */
export function findNamedModel({ params, routeOptions }: FastifyRequest, catalogue: Catalogue): Model {
  const { model: id = rootModel } = params as { model?: string }; // as the paths of creates declare it
  const model = catalogue.find(id);
  if (!model) throw noSuchModel(id, catalogue);
  const mode: Mode = routeOptions.url?.endsWith('/url-generations') ? 'url' : 'text';
  if (model.modes.includes(mode)) return model;
  const other = mode === 'url' ? 'from a prompt alone' : 'from images only';
  throw new AppError(
    'not_found',
    `The model ${id} makes images ${other}: use /${id}/${model.modes[0]}-generations.`,
  );
}

export function noSuchModel(id: string, catalogue: Catalogue): AppError {
  const list = catalogue.list().map((one) => one.id);
  return new AppError('not_found', `There is no model "${id}". There are: ${list.join(', ')}.`);
}
