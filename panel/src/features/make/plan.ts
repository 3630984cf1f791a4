import type { CreateBody, Mode, Model } from '@darkroom/server/panel-contract';
import { amount } from '../../languages/format.ts';
import { t } from '../../languages/words.ts';
import type { InputImage } from '../inputs/input-images.tsx';
import { sumOf } from '../money/sum.ts';
import type { Draft } from './draft.ts';
import { ratiosOf } from './empty-draft.ts';

/** The most images that one page shows side by side. */
export const maxImages = 8;

/** What one click makes: `count` images by each model in each shape. */
export interface Plan {
  models: Model[];
  ratios: string[];
  count: number;
  images: number;
  total: string;
}

export interface Wish {
  mode: Mode;
  images: InputImage[];
  creates: (CreateBody & { model: string })[];
}

/** Other models use the chosen resolution, or their smallest if they lack it. */
export function planOf(draft: Draft, model: Model, models: readonly Model[]): Plan {
  const others = draft.also.flatMap((id) => models.find((one) => one.id === id) ?? []);
  const chosen = [model, ...others.filter((one) => one !== model && fits(one, draft))];
  const alsoRatios = draft.alsoRatios.filter(
    (ratio) => ratio !== draft.ratio && chosen.every((one) => ratiosOf(one, draft).includes(ratio)),
  );
  const ratios = [draft.ratio, ...alsoRatios].slice(0, Math.floor(maxImages / chosen.length));
  const each = Math.max(1, Math.min(draft.count, Math.floor(maxImages / (chosen.length * ratios.length))));
  const ofModel = ratios.length * each;
  const prices = chosen.flatMap((one) => {
    const price = resolutionOf(one, draft)?.price;
    return price === undefined ? [] : Array.from({ length: ofModel }, () => price);
  });
  return { models: chosen, ratios, count: each, images: chosen.length * ofModel, total: sumOf(prices) };
}

export function makeWords({ images, total }: Plan, currency: string): string {
  return `${t('{count, plural, =1 {Make image} other {Make # images}}', { count: images })} · ${amount(total)} ${currency}`;
}

export function fits(model: Model, draft: Draft): boolean {
  const mode = draft.mode === 'image' ? 'url' : 'text';
  return (
    model.modes.includes(mode) && ratiosOf(model, draft).includes(draft.ratio) && model.resolutions.length > 0
  );
}

export function wishOf(draft: Draft, plan: Plan, prompt: string): Wish {
  const shared = {
    prompt,
    ...(draft.editedFrom && { origin: { job_id: draft.editedFrom, kind: 'edit' as const } }),
  };
  return {
    ...(draft.mode === 'image'
      ? { mode: 'url' as const, images: draft.inputs }
      : { mode: 'text' as const, images: [] }),
    creates: plan.models.flatMap((model) =>
      plan.ratios.flatMap((aspect_ratio) =>
        Array.from({ length: plan.count }, () => ({ ...shared, aspect_ratio, ...ownOf(model, draft) })),
      ),
    ),
  };
}

function ownOf(model: Model, draft: Draft) {
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

export function resolutionOf({ resolutions }: Model, chosen: Pick<Draft, 'resolution'>) {
  return resolutions.find(({ resolution }) => resolution === chosen.resolution) ?? resolutions[0];
}
