import {
  type AspectRatio,
  allRatios,
  type ModelId,
  nearestRatio,
  pixels,
  type Resolution,
  resolutions,
  type Size,
} from '../catalog/models.ts';
import { mayEnlarge } from '../images/fit-image.ts';
import type { Job } from '../jobs/job.ts';
import type { Capabilities } from '../providers/provider.ts';
import type { Fit } from './route.ts';

/** What determines which routes can serve a job. */
export interface Shape {
  model: ModelId;
  ratio: AspectRatio;
  resolution: Resolution;
  inputs: number;
}

/** For `auto`, square stands in: a model that chooses the ratio can always choose a square. */
export function shapeOf(job: Pick<Job, 'model' | 'aspectRatio' | 'resolution' | 'inputs'>): Shape {
  const { model, aspectRatio, resolution, inputs } = job;
  return { model, ratio: aspectRatio ?? '1:1', resolution, inputs: inputs.length };
}

/** What a route can serve. */
export interface Servant {
  provider: { capabilities: Pick<Capabilities, 'ratios' | 'resolutions' | 'minInputs' | 'maxInputs'> };
  fit?: Fit;
  upscale?: boolean;
}

/** What to request of the upstream, so that its image can be turned into the promised one. */
export interface RequestPlan extends Size {
  ratio: AspectRatio;
  resolution: Resolution;
}

/**
 * How a route serves a job of this shape, directly or by its `fit` and `upscale`; undefined when it cannot.
 */
export function planRequest({ provider, fit, upscale }: Servant, shape: Shape): RequestPlan | undefined {
  const { model, inputs } = shape;
  const { capabilities } = provider;
  if (inputs < (capabilities.minInputs ?? 0) || inputs > capabilities.maxInputs) return undefined;
  const ratio = ratioFor(model, shape.ratio, { ratios: capabilities.ratios, fit });
  if (!ratio) return undefined;
  const promised = pixels(model, shape.ratio, shape.resolution);
  const plans = orderOfResolutions(shape.resolution)
    .filter((resolution) => capabilities.resolutions.includes(resolution))
    .map((resolution) => ({ ratio, resolution, ...pixels(model, ratio, resolution) }));
  const large = plans.find((made) => mayEnlarge(made, promised, { fit: fit ?? 'crop', upscale: false }));
  return large ?? (upscale ? largest(plans) : undefined);
}

/** The wanted one, then larger ones, which lose nothing when scaled down, then smaller ones. */
function orderOfResolutions(wanted: Resolution): Resolution[] {
  const index = resolutions.indexOf(wanted);
  return [...resolutions.slice(index), ...resolutions.slice(0, index)];
}

function largest(plans: readonly RequestPlan[]): RequestPlan | undefined {
  return plans.toSorted((a, b) => b.width * b.height - a.width * a.height)[0];
}

function ratioFor(
  model: ModelId,
  wanted: AspectRatio,
  { ratios, fit }: { ratios: readonly string[]; fit: Fit | undefined },
): AspectRatio | undefined {
  if (ratios.includes(wanted)) return wanted;
  const known = allRatios.filter((ratio) => ratios.includes(ratio));
  return fit && known.length > 0 ? nearestRatio(model, pixels(model, wanted, '1K'), known) : undefined;
}
