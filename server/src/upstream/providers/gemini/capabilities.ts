import { allRatios, commonRatios, resolutions } from '../../catalog/models.ts';
import type { Capabilities } from '../provider.ts';
import type { GeminiSettings } from './settings.ts';

/** Guesses by the family in the model's name, because exact ids last only months. The configuration overrides it. */
export function geminiCapabilities(settings: GeminiSettings): Capabilities {
  const { model } = settings;
  const oldest = /2\.5/.test(model);
  const commonOnly = oldest || /lite|pro/.test(model);
  return {
    ratios: settings.ratios ?? (commonOnly ? commonRatios : allRatios),
    resolutions: settings.resolutions ?? (oldest || /lite/.test(model) ? ['1K'] : resolutions),
    maxInputs: settings.maxInputs ?? (oldest ? 3 : 14),
    resumable: false,
  };
}

/** Gemini 2.5 always makes images of about 1K, and does not take `imageSize`. */
export function takesImageSize(model: string): boolean {
  return !/2\.5/.test(model);
}
