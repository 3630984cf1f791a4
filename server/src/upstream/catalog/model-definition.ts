import { parseMicros } from '../../money/ledger/money.ts';
import {
  type Action,
  type AspectRatio,
  fitArea,
  type Mode,
  type Model,
  type ModelId,
  type Parameters,
  type Resolution,
  type Size,
  type Sizing,
} from './models.ts';

export const routeOrders = ['listed', 'cost'] as const;
type RouteOrder = (typeof routeOrders)[number];

/** A model as JSON, in files, commands and the database. `definitionSchema` describes each field. */
export interface ModelDefinition {
  id: ModelId;
  name: string;
  description?: string;
  action?: Action;
  modes: Mode[];
  maxInputs?: number;
  ratios: AspectRatio[];
  auto?: boolean;
  selectable?: boolean;
  resolutions: Record<Resolution, SizingDefinition>;
  parameters?: Record<string, Parameters[string]>;
  /** `listed` unless set. */
  order?: RouteOrder;
  /** Routes in the order in which they are tried; absent for the routes that the environment implies. */
  routes?: RouteDefinition[];
}

export interface SizingDefinition {
  /** A decimal amount. */
  price: string;
  sizes?: Record<AspectRatio, [width: number, height: number]>;
  /** Millions (2^20) of pixels, for ratios without exact pixels. */
  megapixels?: number;
  multipleOf?: number;
}

export type RouteDefinition = Record<string, unknown>;

const megapixel = 1024 * 1024;
const defaultMultiple = 8;

/** Needs a valid definition (see `checkDefinition`). */
export function toModel(definition: ModelDefinition, version: number): Model {
  const { id, name, description = '', action = 'generate', modes, ratios } = definition;
  const { auto = false, selectable = true } = definition;
  const sized = Object.entries(definition.resolutions).map(
    ([resolution, sizing]) => [resolution, toSizing(sizing, ratios)] as const,
  );
  return {
    id,
    version,
    name,
    description,
    action,
    modes,
    maxInputs: modes.includes('url') ? (definition.maxInputs ?? 1) : 0,
    ratios,
    auto,
    selectable,
    resolutions: new Map(sized.toSorted(([, a], [, b]) => largest(a) - largest(b))),
    parameters: definition.parameters ?? {},
  };
}

/** The pixels of a ratio; undefined if neither exact sizes nor megapixels give them. */
export function sizeOf(sizing: SizingDefinition, ratio: AspectRatio): Size | undefined {
  const exact = sizing.sizes?.[ratio];
  if (exact) return { width: exact[0], height: exact[1] };
  if (sizing.megapixels === undefined) return undefined;
  return fitArea(ratio, sizing.megapixels * megapixel, sizing.multipleOf ?? defaultMultiple);
}

function toSizing(sizing: SizingDefinition, ratios: readonly AspectRatio[]): Sizing {
  const sizes = ratios.flatMap((ratio) => {
    const size = sizeOf(sizing, ratio);
    return size ? [[ratio, size] as const] : [];
  });
  const priceMicros = parseMicros(sizing.price);
  if (priceMicros === undefined) throw new Error(`${sizing.price} is not a price`);
  return { priceMicros, sizes: new Map(sizes) };
}

function largest({ sizes }: Sizing): number {
  return Math.max(...[...sizes.values()].map(({ width, height }) => width * height));
}
