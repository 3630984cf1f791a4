import { mayEnlarge } from '../../images/fit-policy.ts';
import {
  type AspectRatio,
  allRatios,
  defaultResolution,
  type Model,
  type ModelId,
  nearestRatio,
  pixels,
  type Resolution,
  resolutions,
  type Size,
} from '../../upstream/catalog/models.ts';
import type { Capabilities, ImageOptions } from '../../upstream/providers/provider.ts';
import type { Job } from '../job.ts';
import type { Fit } from './route.ts';

export interface Shape {
  /** The model in the version under which the job was accepted. */
  model: Model;
  ratio: AspectRatio;
  resolution: Resolution;
  inputs: number;
  parameters: readonly string[];
  /** Options that not every upstream supports. */
  options: readonly Extract<keyof ImageOptions, 'background' | 'mask'>[];
}

type Shaped = Pick<Job, 'aspectRatio' | 'resolution' | 'parameters' | 'output'> & {
  inputs: { length: number };
  mask: object | null;
};

export function shapeOf(
  model: Model,
  { aspectRatio, resolution, inputs, parameters, output, mask }: Shaped,
): Shape {
  return {
    ...{ model, resolution, inputs: inputs.length, parameters: Object.keys(parameters) },
    ratio: aspectRatio ?? anyRatio(model),
    // We make an opaque background ourselves, so routes need not support it.
    options: [
      ...(output?.background === 'transparent' ? (['background'] as const) : []),
      ...(mask ? (['mask'] as const) : []),
    ],
  };
}

/** The ratio that is planned for `auto`: square, because a model that chooses the ratio can always choose square. */
export function anyRatio({ ratios }: Model): AspectRatio {
  return ratios.includes('1:1') ? '1:1' : (ratios[0] ?? '1:1');
}

export interface Servant {
  provider: {
    capabilities: Pick<
      Capabilities,
      'ratios' | 'resolutions' | 'minInputs' | 'maxInputs' | 'anySize' | 'options' | 'needsMask'
    >;
  };
  fit?: Fit;
  upscale?: boolean;
  parameters?: Readonly<Record<string, string>>;
}

export type ModelServant = Servant & { model: ModelId };

/** The size to request from the upstream, from which the promised size can be made. */
export interface RequestPlan extends Size {
  ratio: AspectRatio;
  resolution: Resolution;
}

/** How a route serves a job, directly or with its `fit` and `upscale`; undefined if it cannot. */
export function planRequest(
  { provider, fit, upscale, parameters = {} }: Servant,
  shape: Shape,
): RequestPlan | undefined {
  const { model, inputs } = shape;
  const { capabilities } = provider;
  if (inputs < (capabilities.minInputs ?? 0) || inputs > capabilities.maxInputs) return undefined;
  if (shape.parameters.some((name) => !Object.hasOwn(parameters, name))) return undefined;
  const isMasked = shape.options.includes('mask');
  if (!takesAll(capabilities, shape.options) || (capabilities.needsMask && !isMasked)) return undefined;
  // A mask needs the exact ratio, because its region would be elsewhere in an image of another shape.
  const ratio = ratioFor(model, shape.ratio, capabilities, isMasked ? undefined : fit);
  if (!ratio) return undefined;
  const promised = pixels(model, shape.ratio, shape.resolution);
  // A shortcut for most jobs, because every create makes this check.
  if (ratio === shape.ratio && makes(capabilities, 'resolutions', shape.resolution))
    return { ratio, resolution: shape.resolution, ...promised };
  const plans = orderOfResolutions(model, shape.resolution)
    .filter((resolution) => makes(capabilities, 'resolutions', resolution))
    .map((resolution) => ({ ratio, resolution, ...pixels(model, ratio, resolution) }));
  const large = plans.find((made) => mayEnlarge(made, promised, { fit: fit ?? 'crop', upscale: false }));
  return large ?? (upscale ? largest(plans) : undefined);
}

export function takesAll({ options = [] }: Pick<Capabilities, 'options'>, wanted: Shape['options']): boolean {
  return wanted.every((one) => options.includes(one));
}

/** The wanted resolution, then larger ones, which lose no detail when scaled down, then smaller ones. */
function orderOfResolutions(model: Model, wanted: Resolution): Resolution[] {
  const all = [...model.resolutions.keys()];
  const index = all.indexOf(wanted);
  return [...all.slice(index), ...all.slice(0, index)];
}

function largest(plans: readonly RequestPlan[]): RequestPlan | undefined {
  return plans.toSorted((a, b) => b.width * b.height - a.width * a.height)[0];
}

function ratioFor(
  model: Model,
  wanted: AspectRatio,
  capabilities: Servant['provider']['capabilities'],
  fit: Fit | undefined,
): AspectRatio | undefined {
  if (makes(capabilities, 'ratios', wanted)) return wanted;
  const known = allRatios.filter((ratio) => capabilities.ratios.includes(ratio));
  if (!fit || known.length === 0) return undefined;
  return nearestRatio(model, pixels(model, wanted, defaultResolution(model)), known);
}

const standard = { ratios: allRatios, resolutions } as const;

/** Whether the route makes a ratio or resolution. With `anySize`, it also makes those that only the model defines. */
function makes(
  capabilities: Servant['provider']['capabilities'],
  list: 'ratios' | 'resolutions',
  name: string,
): boolean {
  if (capabilities[list].includes(name)) return true;
  return capabilities.anySize === true && !(standard[list] as readonly string[]).includes(name);
}
