import { commonRatios } from '../../catalog/models.ts';
import type { Capabilities } from '../provider.ts';
import type { BedrockSettings } from './settings.ts';

/** `stability` takes a ratio and at most one input to start from. `nova` takes pixels and up to five inputs. */
export type Family = 'stability' | 'nova';

export function familyOf({ model }: BedrockSettings): Family {
  return /nova-canvas/.test(model) ? 'nova' : 'stability';
}

export function bedrockCapabilities(settings: BedrockSettings): Capabilities {
  const family = familyOf(settings);
  // Stable Image Core makes images from text alone.
  const inputs = family === 'nova' ? 5 : /image-core/.test(settings.model) ? 0 : 1;
  return {
    ratios: settings.ratios ?? (family === 'nova' ? [...commonRatios, '1:4', '4:1'] : stabilityRatios),
    resolutions: settings.resolutions ?? (family === 'nova' ? ['1K', '2K'] : ['1K']),
    maxInputs: Math.min(settings.maxInputs ?? inputs, inputs),
    resumable: false,
  };
}

const stabilityRatios = ['1:1', '2:3', '3:2', '4:5', '5:4', '9:16', '16:9', '21:9'];
