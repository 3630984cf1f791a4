import { commonRatios } from '../../catalog/models.ts';
import type { SizeLimits } from '../fit-size.ts';
import type { Capabilities } from '../provider.ts';
import type { BflSettings } from './settings.ts';

/** The common properties of a family of models, from https://api.bfl.ai/openapi.json. */
export interface Family {
  /** The limits of width and height; absent if the model takes a ratio instead. */
  pixels?: SizeLimits;
  /** Whether the request has a field for the resolution, such as `1k`, in addition to the ratio. */
  takesResolution?: boolean;
  /** The field of the first input. Further inputs are `field_2`, `field_3`, …, but `images` is a list. */
  inputField: 'images' | 'input_image' | 'image_prompt' | 'image';
  /** True for models that fill the part of `image` under `mask`, and need both in the same size. */
  fills?: boolean;
  /** True for models with a single output format, which refuse the field for it. */
  omitsFormat?: boolean;
  maxInputs: number;
  resolutions: readonly string[];
}

const flux2Pixels: SizeLimits = { step: 16, minSide: 64, maxPixels: 2048 * 2048 };

/**
 * FLUX.3 takes only `prompt`, `images`, `aspect_ratio`, `resolution`, `grounding`, `safety_tolerance` and `version`.
 * https://docs.bfl.ai/flux_3/flux3_image_overview, 1 October 2026.
 */
const flux3: Family = {
  takesResolution: true,
  inputField: 'images',
  omitsFormat: true,
  maxInputs: 10,
  resolutions: ['1K', '2K', '4K'],
};

const families: readonly [name: RegExp, family: Family][] = [
  [/^flux-3/, flux3],
  [
    /^flux-2-klein/,
    { pixels: flux2Pixels, inputField: 'input_image', maxInputs: 4, resolutions: ['1K', '2K'] },
  ],
  [/^flux-2/, { pixels: flux2Pixels, inputField: 'input_image', maxInputs: 8, resolutions: ['1K', '2K'] }],
  // https://docs.bfl.ai/flux_tools/flux_1_fill: white areas are filled, black areas stay.
  [/-fill/, { inputField: 'image', fills: true, maxInputs: 1, resolutions: ['1K'] }],
  [/^flux-kontext/, { inputField: 'input_image', maxInputs: 4, resolutions: ['1K'] }],
  [/-ultra/, { inputField: 'image_prompt', maxInputs: 1, resolutions: ['1K', '2K'] }],
];

const oldest: Family = {
  pixels: { step: 32, minSide: 256, maxSide: 1440 },
  inputField: 'image_prompt',
  maxInputs: 1,
  resolutions: ['1K'],
};

export function familyOf({ model, maxInputs }: BflSettings): Family {
  const family = families.find(([name]) => name.test(model))?.[1] ?? oldest;
  return maxInputs === undefined ? family : { ...family, maxInputs };
}

/** Allows ratios up to 21:9, which every family supports. */
export function bflCapabilities(
  settings: BflSettings,
  { resolutions, maxInputs, fills }: Family,
): Capabilities {
  return {
    ratios: settings.ratios ?? commonRatios,
    resolutions: settings.resolutions ?? resolutions,
    maxInputs,
    resumable: true,
    ...(fills && { minInputs: 1, needsMask: true, anySize: true, options: ['mask'] }),
  };
}

export function inputFieldsOf({ inputField, maxInputs }: Family): readonly string[] {
  if (inputField === 'images') return [inputField];
  if (inputField === 'image') return [inputField, 'mask'];
  return Array.from({ length: maxInputs }, (_, n) => (n === 0 ? inputField : `${inputField}_${n + 1}`));
}
