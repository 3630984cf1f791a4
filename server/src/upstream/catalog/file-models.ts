import { isDeepStrictEqual } from 'node:util';
import { AppError, SettingError } from '../../errors.ts';
import { parseMicros } from '../../money/ledger/money.ts';
import type { ModelDefinition, RouteDefinition } from './model-definition.ts';
import type { ModelId } from './models.ts';

export interface FileModels {
  /** Empty without a file. */
  path: string;
  definitions: readonly ModelDefinition[];
  /** Prices as decimal amounts, by model and resolution. */
  prices: Readonly<Record<ModelId, Readonly<Record<string, string>>>>;
  routes: Readonly<Record<ModelId, readonly RouteDefinition[]>>;
}

export function placesOf({ definitions, prices, routes }: FileModels, id: ModelId): string[] {
  const index = definitions.findIndex((definition) => definition.id === id);
  return [
    ...(index >= 0 ? [`/models/${index}`] : []),
    ...(Object.hasOwn(prices, id) ? [`/prices/${id}`] : []),
    ...(Object.hasOwn(routes, id) ? [`/routes/${id}`] : []),
  ];
}

/** Refuses a change that the next start would undo or refuse. @throws AppError `invalid_request` */
export function assertKept(file: FileModels, id: ModelId, definition: ModelDefinition | null): void {
  const places = placesOf(file, id);
  if (places.length === 0 || (definition && isKept(file, definition))) return;
  throw new AppError(
    'invalid_request',
    `The model ${id} is set by the configuration file ${file.path}, at ${places.join(' and ')}. Change it there, and restart.`,
  );
}

function isKept(file: FileModels, definition: ModelDefinition): boolean {
  const { id, resolutions } = definition;
  const priced = Object.keys(file.prices[id] ?? {});
  const own = file.definitions.find((one) => one.id === id);
  return (
    priced.every((resolution) => Object.hasOwn(resolutions, resolution)) &&
    isDeepStrictEqual(overlay(own ?? definition, file), definition)
  );
}

/** Adds the prices and routes that the file sets separately. @throws SettingError */
export function overlay(definition: ModelDefinition, { prices, routes }: FileModels): ModelDefinition {
  const { id, resolutions } = definition;
  const own = routes[id];
  const priced = Object.entries(prices[id] ?? {}).map(([resolution, price]) => {
    const sizing = resolutions[resolution];
    if (!sizing || parseMicros(price) === undefined)
      throw new SettingError(
        `DARKROOM_CONFIG: prices.${id}.${resolution} is not a price of a resolution that ${id} has.`,
      );
    return [resolution, { ...sizing, price }] as const;
  });
  return {
    ...definition,
    resolutions: { ...resolutions, ...Object.fromEntries(priced) },
    ...(own && { routes: [...own] }),
  };
}
