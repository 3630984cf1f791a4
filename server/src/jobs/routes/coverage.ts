import type { AspectRatio, Model, ModelId, Resolution } from '../../upstream/catalog/models.ts';
import type { LiveRoutes } from './live-routes.ts';
import {
  type ModelServant,
  planRequest,
  type Servant,
  type Shape,
  shapeOf,
  takesAll,
} from './plan-request.ts';
import type { Route } from './route.ts';

/** Combinations that a model promises but no route serves: these ratios, at each resolution and number of inputs. */
export interface Gap {
  model: Model;
  ratios: AspectRatio[];
  resolutions: Resolution[];
  inputs: number[];
}

export function findGaps(models: readonly Model[], routes: readonly ModelServant[]): Gap[] {
  return models.flatMap((model) => {
    const parameters = alwaysSent(model);
    const cells = inputCounts(model).flatMap((inputs) =>
      [...model.resolutions.keys()].map((resolution) => ({
        ratios: model.ratios.filter(
          (ratio) => !isServed(routes, { model, ratio, resolution, inputs, parameters, options: [] }),
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

/** Describes gaps in sentences. Skips models whose routes are known only to other processes. */
export function describeGaps(models: readonly Model[], routes: Pick<LiveRoutes, 'servantsOf'>): string[] {
  return models
    .flatMap((model) => {
      const servants = routes.servantsOf(model.id);
      return servants ? findGaps([model], servants) : [];
    })
    .map(describeGap);
}

export function findUnservable(models: readonly Model[], routes: readonly ModelServant[]): Model[] {
  return models.filter((model) => {
    const own = routes.filter((route) => route.model === model.id);
    return own.every((route) => !servesAny(model, route));
  });
}

/** Explains to the client why no route can make a job. Null if a route can, or if only other processes know. */
export function whyUnserved(
  routes: Pick<LiveRoutes, 'servantsOf'>,
  models: readonly Model[],
  model: Model,
  wanted: Parameters<typeof shapeOf>[1],
): { why: string; field: string | null } | null {
  const servants = routes.servantsOf(model.id);
  const shape = shapeOf(model, wanted);
  if (!servants || isServed(servants, shape)) return null;
  const option = shape.options.find((one) => !offers(routes, model.id, [one]));
  if (!option) return { why: describeUnserved(shape), field: null };
  const able = models.filter(({ id }) => offers(routes, id, [option])).map(({ id }) => id);
  const others =
    able.length > 0 ? `Models that can: ${able.join(', ')}.` : 'No model of this installation can.';
  const { made, field } = optionsInWords[option];
  return { why: `The model ${model.id} makes nothing with ${made} here. ${others}`, field };
}

/** Whether a model has a route that supports all of these options. True if only other processes know. */
export function offers(
  routes: Pick<LiveRoutes, 'servantsOf'>,
  model: ModelId,
  options: Shape['options'],
): boolean {
  return routes.servantsOf(model)?.some(({ provider }) => takesAll(provider.capabilities, options)) ?? true;
}

/** Tells the client which combination no route serves. */
export function describeUnserved({ model, ratio, resolution, inputs, parameters, options }: Shape): string {
  const what =
    inputs === 0 ? 'from text alone' : inputs === 1 ? 'from 1 input image' : `from ${inputs} input images`;
  const honouring = parameters.length > 0 ? ` and honours ${parameters.join(', ')}` : '';
  const extras = options.map((one) => ` with ${optionsInWords[one].made}`).join('');
  return `This installation has no image model for ${model.id} that makes ${ratio} at ${resolution} ${what}${extras}${honouring}. Choose another combination, or ask the operator.`;
}

const optionsInWords: Record<Shape['options'][number], { made: string; field: string }> = {
  background: { made: 'a transparent background', field: '/background' },
  mask: { made: 'a mask', field: '/mask_url' },
};

/** Explains why a route serves no request, as a clause after its name; undefined if it serves any. */
export function whyUseless(model: Model, route: Route): string | undefined {
  return servesAny(model, route) ? undefined : whyNone(model, route, shapesOf(model));
}

function servesAny(model: Model, servant: Servant): boolean {
  return shapesOf(model).some((shape) => planRequest(servant, shape));
}

/** Lists the model's shapes without inputs, with one input and with the most inputs. */
function shapesOf(model: Model): Shape[] {
  const parameters = alwaysSent(model);
  return inputCounts(model).flatMap((inputs) =>
    [...model.resolutions.keys()].flatMap((resolution) =>
      model.ratios.map((ratio): Shape => ({ model, ratio, resolution, inputs, parameters, options: [] })),
    ),
  );
}

function whyNone(model: Model, route: Route, shapes: readonly Shape[]): string {
  const { capabilities } = route.provider;
  const { minInputs = 0, maxInputs } = capabilities;
  const unplaced = alwaysSent(model).filter((name) => !Object.hasOwn(route.parameters ?? {}, name));
  if (inputCounts(model).every((count) => count < minInputs || count > maxInputs))
    return `takes ${minInputs} to ${maxInputs} input images, and requests for the model have ${inputCounts(model).join(' or ')}. Change its modes or maxInputs, or use another upstream model.`;
  if (unplaced.length > 0)
    return `has no field for ${unplaced.join(', ')}, which every job of the model has. Name the upstream’s field for it in the route’s "parameters", or give the model no default for it.`;
  if (shapes.some((shape) => planRequest({ ...route, fit: 'extend' }, shape)))
    return `makes none of the ratios of the model (${model.ratios.join(', ')}), but ${capabilities.ratios.join(', ')}. Change them, or set "fit" to have its images cropped or extended.`;
  return `makes none of the resolutions of the model (${[...model.resolutions.keys()].join(', ')}), but ${capabilities.resolutions.join(', ')}. Change them, or use another upstream model.`;
}

export function describeGap({ model, ratios, resolutions, inputs }: Gap): string {
  const all = ratios.length === model.ratios.length;
  const what = all ? 'any ratio' : model.ratios.filter((ratio) => ratios.includes(ratio)).join(', ');
  const from =
    inputs.length === inputCounts(model).length
      ? 'whatever the inputs'
      : `with ${inputs.join(' or ')} inputs`;
  return `${model.id}: nobody makes ${what} at ${resolutions.join(', ')}, ${from}`;
}

/** The numbers of inputs by which upstreams differ: none, one, and the most. */
function inputCounts({ modes, maxInputs }: Model): number[] {
  const counts = [...(modes.includes('text') ? [0] : []), ...(modes.includes('url') ? [1, maxInputs] : [])];
  return [...new Set(counts)];
}

/** Parameters with a default are part of every job. */
function alwaysSent({ parameters }: Model): string[] {
  return Object.keys(parameters).filter((name) => parameters[name]?.default !== undefined);
}

function isServed(routes: readonly ModelServant[], shape: Shape): boolean {
  return routes.some((route) => route.model === shape.model.id && planRequest(route, shape));
}

type Cell = Omit<Gap, 'model'>;

/** Merges gaps that differ only in one list. */
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
