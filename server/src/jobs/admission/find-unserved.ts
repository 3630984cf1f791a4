import type { Model } from '../../upstream/catalog/models.ts';
import type { NewJob } from '../job-store.ts';
import type { CreateRequest, Variant } from './create-request.ts';
import type { Unserved } from './decide-admissions.ts';

export interface ServingDeps {
  /** Why no route can make a job of this kind; null if one can, or if this process cannot know. */
  whyUnserved(
    model: Model,
    wanted: Pick<NewJob, 'aspectRatio' | 'resolution' | 'parameters' | 'output'> & {
      inputs: { length: number };
      mask: object | null;
    },
  ): Omit<Unserved, 'pointer'> | null;
}

/** Checks for missing routes before inputs are fetched. Skips the panel's stored inputs, which are counted later. */
export function findUnserved(
  deps: ServingDeps,
  {
    mode,
    aspectRatio,
    inputUrls,
    inputs = inputUrls,
    output,
    mask,
  }: Pick<CreateRequest, 'mode' | 'aspectRatio' | 'inputUrls' | 'output'> & {
    inputs?: { length: number };
    mask: object | null;
  },
  variants: readonly Variant[],
  pointer: string | null = null,
): Unserved | null {
  if (mode === 'url' && inputs.length === 0) return null;
  const wanted = {
    aspectRatio: aspectRatio === 'auto' ? null : aspectRatio,
    inputs,
    output,
    mask,
  };
  return firstOf(
    variants.map((variant) => deps.whyUnserved(variant.model, { ...variant, ...wanted })),
    pointer,
  );
}

/** Repeats the check once the ratio and the inputs of each job are known. */
export function findUnservedJob(
  deps: ServingDeps,
  jobs: readonly Pick<NewJob, 'aspectRatio' | 'resolution' | 'parameters' | 'output' | 'inputs' | 'mask'>[],
  variants: readonly Pick<Variant, 'model'>[],
  pointer: string | null = null,
): Unserved | null {
  const whys = jobs.map((job, index) => {
    const model = variants[index]?.model;
    return model ? deps.whyUnserved(model, job) : null;
  });
  return firstOf(whys, pointer);
}

function firstOf(
  whys: readonly ReturnType<ServingDeps['whyUnserved']>[],
  pointer: string | null,
): Unserved | null {
  const first = whys.find((one) => one !== null);
  return first ? { ...first, pointer } : null;
}
