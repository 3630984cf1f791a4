import {
  type AspectRatio,
  allRatios,
  type ModelId,
  modelIds,
  models,
  type Resolution,
} from '../catalog/models.ts';
import { maxInputs } from '../inputs/limits.ts';
import { planRequest } from './plan-request.ts';
import type { Route } from './route.ts';

// No input, one, and the most that a request may have: upstreams differ in these.
const inputCounts = [0, 1, maxInputs] as const;

/**
 * What a model promises and none of its routes serves: each of these ratios at each resolution with each
 * number of inputs.
 */
export interface Gap {
  model: ModelId;
  ratios: AspectRatio[];
  resolutions: Resolution[];
  inputs: number[];
}

/** Finds what clients may request and no route can make. */
export function findGaps(routes: readonly Route[]): Gap[] {
  return modelIds.flatMap((model) => {
    const cells = inputCounts.flatMap((inputs) =>
      models[model].resolutions.map((resolution) => ({
        ratios: models[model].ratios.filter(
          (ratio) => !isServed(routes, { model, ratio, resolution, inputs }),
        ),
        resolutions: [resolution],
        inputs: [inputs],
      })),
    );
    const rows = merge(cells, ({ ratios, inputs }) => `${ratios} ${inputs}`, 'resolutions');
    const gaps = merge(rows, ({ ratios, resolutions }) => `${ratios} ${resolutions}`, 'inputs');
    return gaps.filter(({ ratios }) => ratios.length > 0).map((gap) => ({ model, ...gap }));
  });
}

/** For example `nb2: nobody makes 1:4, 4:1 at 4K with 14 inputs`. */
export function describeGap({ model, ratios, resolutions, inputs }: Gap): string {
  const all = ratios.length === models[model].ratios.length;
  const what = all ? 'any ratio' : ratios.toSorted(byTable).join(', ');
  const from =
    inputs.length === inputCounts.length ? 'whatever the inputs' : `with ${inputs.join(' or ')} inputs`;
  return `${model}: nobody makes ${what} at ${resolutions.join(', ')}, ${from}`;
}

function isServed(routes: readonly Route[], shape: Parameters<typeof planRequest>[1]): boolean {
  return routes.some((route) => route.model === shape.model && planRequest(route, shape));
}

type Cell = Omit<Gap, 'model'>;

/** Merges gaps that differ in one list only. */
function merge<List extends 'resolutions' | 'inputs'>(
  cells: readonly Cell[],
  likeness: (cell: Cell) => string,
  list: List,
): Cell[] {
  return [...Map.groupBy(cells, likeness).values()].flatMap((alike) => {
    const [first] = alike;
    return first
      ? [{ ...first, [list]: [...new Set(alike.flatMap((cell): Cell[List][number][] => cell[list]))] }]
      : [];
  });
}

function byTable(a: AspectRatio, b: AspectRatio): number {
  return allRatios.indexOf(a) - allRatios.indexOf(b);
}
