import type { Model } from '@darkroom/server/panel-contract';
import type { Draft } from './draft.ts';

/** The part of a draft stored in the tab; the rest is in the URL. */
export type Words = Pick<Draft, 'prompt' | 'inputs' | 'parameters' | 'editedFrom'>;

export const noWords: Words = { prompt: '', inputs: [], parameters: {}, editedFrom: null };

export const emptyDraft: Draft = {
  model: 'nb2',
  mode: 'text',
  ratio: '1:1',
  resolution: '1K',
  count: 1,
  also: [],
  alsoRatios: [],
  ...noWords,
};

/** Adds `auto` if there are input images. A model without `auto` gets the ratio nearest to the input's. */
export function ratiosOf({ aspect_ratios: own }: Model, { mode }: Pick<Draft, 'mode'>): string[] {
  return mode === 'text' || own.includes('auto') ? own : ['auto', ...own];
}

export function fitted(draft: Draft, model: Model): Draft {
  const ratio = ratiosOf(model, draft).includes(draft.ratio)
    ? draft.ratio
    : (model.aspect_ratios[0] ?? '1:1');
  const known = model.resolutions.some((one) => one.resolution === draft.resolution);
  const [onlyMode] = model.modes.length === 1 ? model.modes : [];
  return {
    ...draft,
    ...(onlyMode && { mode: onlyMode === 'url' ? ('image' as const) : ('text' as const) }),
    parameters: Object.fromEntries(
      Object.entries(draft.parameters).filter(([name]) => Object.hasOwn(model.parameters, name)),
    ),
    ratio,
    resolution: known ? draft.resolution : (model.resolutions[0]?.resolution ?? '1K'),
  };
}
