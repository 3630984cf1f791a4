import { commonRatios } from '../../catalog/models.ts';
import type { SizeLimits } from '../fit-size.ts';
import type { Capabilities } from '../provider.ts';
import type { BflSettings } from './settings.ts';

/** What the models of a family have in common, from https://api.bfl.ai/openapi.json. */
export interface Family {
  /** Sizes in pixels, or none where the model takes a ratio. */
  pixels?: SizeLimits;
  /** The field of the first input; more are `field_2`, `field_3`, …. */
  inputField: 'input_image' | 'image_prompt';
  maxInputs: number;
  resolutions: readonly string[];
}

/** Up to 4 megapixels, as 2048 × 2048. */
const flux2Pixels: SizeLimits = { step: 16, minSide: 64, maxPixels: 2048 * 2048 };

const families: readonly [name: RegExp, family: Family][] = [
  [
    /^flux-2-klein/,
    { pixels: flux2Pixels, inputField: 'input_image', maxInputs: 4, resolutions: ['1K', '2K'] },
  ],
  [/^flux-2/, { pixels: flux2Pixels, inputField: 'input_image', maxInputs: 8, resolutions: ['1K', '2K'] }],
  [/^flux-kontext/, { inputField: 'input_image', maxInputs: 4, resolutions: ['1K'] }],
  [/-ultra/, { inputField: 'image_prompt', maxInputs: 1, resolutions: ['1K', '2K'] }],
];

/** `flux-pro-1.1` and `flux-dev`. */
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

/** Every family stops at 21:9 or a little beyond. */
export function bflCapabilities(settings: BflSettings, { resolutions, maxInputs }: Family): Capabilities {
  return {
    ratios: settings.ratios ?? commonRatios,
    resolutions: settings.resolutions ?? resolutions,
    maxInputs,
    resumable: true,
  };
}

export function inputFieldsOf({ inputField, maxInputs }: Family): readonly string[] {
  return Array.from({ length: maxInputs }, (_, n) => (n === 0 ? inputField : `${inputField}_${n + 1}`));
}
