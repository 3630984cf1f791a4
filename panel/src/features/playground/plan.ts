import type { Model, PlaygroundInput, PlaygroundRequest } from '@darkroom/server/panel-contract';
import type { InputImage } from '../inputs/input-images.tsx';
import { sumOf } from '../money/sum.ts';
import type { Draft } from './draft.ts';

/** As many as the server takes in one request. */
export const maxPictures = 8;

/** What one click makes: so many pictures by each model. */
export interface Plan {
  models: Model[];
  /** Of each model. */
  count: number;
  pictures: number;
  /** Of all of them. */
  total: string;
}

/** The pictures of a draft. Other models take the resolution that was chosen, or their smallest. */
export function planOf(draft: Draft, model: Model, models: readonly Model[]): Plan {
  const others = draft.also.flatMap((id) => models.find((one) => one.id === id) ?? []);
  const chosen = [model, ...others.filter((one) => one !== model && fits(one, draft))];
  const count = Math.max(1, Math.min(draft.count, Math.floor(maxPictures / chosen.length)));
  const prices = chosen.flatMap((one) => {
    const price = resolutionOf(one, draft)?.price;
    return price === undefined ? [] : Array.from({ length: count }, () => price);
  });
  return { models: chosen, count, pictures: chosen.length * count, total: sumOf(prices) };
}

/** `Make image · 0.04 USD` */
export function makeWords({ pictures, total }: Plan, currency: string): string {
  return `${pictures === 1 ? 'Make image' : `Make ${pictures} images`} · ${total} ${currency}`;
}

/** Whether a model takes what the draft asks for beside the model. */
export function fits(model: Model, draft: Draft): boolean {
  const mode = draft.mode === 'image' ? 'url' : 'text';
  return (
    model.modes.includes(mode) && model.aspect_ratios.includes(draft.ratio) && model.resolutions.length > 0
  );
}

export function requestOf(draft: Draft, plan: Plan, prompt: string): PlaygroundRequest {
  const [first, ...more] = plan.models.flatMap((model) =>
    Array.from({ length: plan.count }, () => variantOf(model, draft)),
  );
  return {
    ...(first ?? { model: draft.model }),
    prompt,
    aspect_ratio: draft.ratio,
    ...(draft.mode === 'image' && { inputs: draft.inputs.map(inputOf) }),
    ...(draft.editedFrom && { origin: { job_id: draft.editedFrom, kind: 'edit' as const } }),
    ...(more.length > 0 && { more }),
  };
}

function variantOf(model: Model, draft: Draft) {
  const resolution = resolutionOf(model, draft)?.resolution;
  const parameters = Object.fromEntries(
    Object.entries(draft.parameters).filter(([name]) => Object.hasOwn(model.parameters, name)),
  );
  return {
    model: model.id,
    ...(model.selectable && resolution && { resolution }),
    ...(Object.keys(parameters).length > 0 && { parameters }),
  };
}

function resolutionOf({ resolutions }: Model, draft: Draft) {
  return resolutions.find(({ resolution }) => resolution === draft.resolution) ?? resolutions[0];
}

function inputOf(input: InputImage): PlaygroundInput {
  return 'url' in input ? { url: input.url } : input;
}
