import type { AspectRatio, Model, Resolution } from '../catalog/models.ts';
import { planRequest, type Shape, shapeOf } from './plan-request.ts';
import type { Route } from './route.ts';

/**
 * What a model promises and none of its routes serves: each of these ratios at each resolution with each
 * number of inputs.
 */
export interface Gap {
  model: Model;
  ratios: AspectRatio[];
  resolutions: Resolution[];
  inputs: number[];
}

/** Finds what clients may request and no route can make. */
export function findGaps(models: readonly Model[], routes: readonly Route[]): Gap[] {
  return models.flatMap((model) => {
    const parameters = alwaysSent(model);
    const cells = inputCounts(model).flatMap((inputs) =>
      [...model.resolutions.keys()].map((resolution) => ({
        ratios: model.ratios.filter(
          (ratio) => !isServed(routes, { model, ratio, resolution, inputs, parameters }),
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

/** Whether any route can make a job of this kind. */
export function isServable(
  routes: readonly Route[],
  model: Model,
  wanted: Parameters<typeof shapeOf>[1],
): boolean {
  return isServed(routes, shapeOf(model, wanted));
}

/** Why a route serves nothing at all that the model promises, in words that go on from its name; undefined when it serves some of it. */
export function whyUseless(model: Model, route: Route): string | undefined {
  const own = { ...route, model: model.id };
  const parameters = alwaysSent(model);
  const shapes = inputCounts(model).flatMap((inputs) =>
    [...model.resolutions.keys()].flatMap((resolution) =>
      model.ratios.map((ratio): Shape => ({ model, ratio, resolution, inputs, parameters })),
    ),
  );
  if (shapes.some((shape) => planRequest(own, shape))) return undefined;
  return whyNone(model, own, shapes);
}

function whyNone(model: Model, route: Route, shapes: readonly Shape[]): string {
  const { capabilities } = route.provider;
  const { minInputs = 0, maxInputs } = capabilities;
  const unplaced = alwaysSent(model).filter((name) => !Object.hasOwn(route.parameters ?? {}, name));
  if (inputCounts(model).every((count) => count < minInputs || count > maxInputs))
    return `takes ${minInputs} to ${maxInputs} input images, and requests for the model bring ${inputCounts(model).join(' or ')}. Change its modes or maxInputs, or use another upstream model.`;
  if (unplaced.length > 0)
    return `has no place for ${unplaced.join(', ')}, which every job of the model has. Say in its "parameters" which field of the upstream it is, or give the model no default for it.`;
  if (shapes.some((shape) => planRequest({ ...route, fit: 'extend' }, shape)))
    return `makes none of the ratios of the model (${model.ratios.join(', ')}), but ${capabilities.ratios.join(', ')}. Change them, or set "fit" to have its pictures cropped or extended.`;
  return `makes none of the resolutions of the model (${[...model.resolutions.keys()].join(', ')}), but ${capabilities.resolutions.join(', ')}. Change them, or use another upstream model.`;
}

/** For example `nb2: nobody makes 1:4, 4:1 at 4K with 14 inputs`. */
export function describeGap({ model, ratios, resolutions, inputs }: Gap): string {
  const all = ratios.length === model.ratios.length;
  const what = all ? 'any ratio' : model.ratios.filter((ratio) => ratios.includes(ratio)).join(', ');
  const from =
    inputs.length === inputCounts(model).length
      ? 'whatever the inputs'
      : `with ${inputs.join(' or ')} inputs`;
  return `${model.id}: nobody makes ${what} at ${resolutions.join(', ')}, ${from}`;
}

/** No input, one, and the most that a request may have: upstreams differ in these. */
function inputCounts({ modes, maxInputs }: Model): number[] {
  const counts = [...(modes.includes('text') ? [0] : []), ...(modes.includes('url') ? [1, maxInputs] : [])];
  return [...new Set(counts)];
}

/** Parameters with a default are part of every job. */
function alwaysSent({ parameters }: Model): string[] {
  return Object.keys(parameters).filter((name) => parameters[name]?.default !== undefined);
}

function isServed(routes: readonly Route[], shape: Shape): boolean {
  return routes.some((route) => route.model === shape.model.id && planRequest(route, shape));
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
