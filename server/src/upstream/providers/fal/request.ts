import { allRatios, commonRatios, resolutions } from '../../catalog/models.ts';
import { Base64Image } from '../body.ts';
import { whiteMask } from '../fit-input.ts';
import type { Capabilities, ImageRequest } from '../provider.ts';
import { setFields, takenOptions, takesAllBut } from '../set-fields.ts';
import type { FalSettings } from './settings.ts';

export function falCapabilities(settings: FalSettings): Capabilities {
  const { model } = settings;
  const exact = settings.sizeBy === 'image_size';
  if (fills(settings))
    return {
      ...{ ratios: settings.ratios ?? allRatios, resolutions: settings.resolutions ?? ['1K'], anySize: true },
      ...{ minInputs: 1, maxInputs: 1, resumable: true, needsMask: true, options: ['mask'] },
    };
  const manySizes = /nano-banana-(2|pro)/.test(model);
  return {
    ratios: settings.ratios ?? (exact || /nano-banana-2/.test(model) ? allRatios : commonRatios),
    resolutions: settings.resolutions ?? (manySizes ? resolutions : ['1K']),
    anySize: exact,
    ...(settings.inputsBy === 'image_url' && !settings.editModel && { minInputs: 1 }),
    maxInputs: settings.maxInputs ?? inputsOf(settings),
    resumable: true,
  };
}

export function endpointFor(settings: FalSettings, request: ImageRequest): string {
  return request.inputs.length > 0 && !fills(settings)
    ? (editModelOf(settings) ?? settings.model)
    : settings.model;
}

/** Excludes `sync_mode`, because the answer would then contain the image instead of its link. */
export const falTakes = takesAllBut([
  'prompt',
  'num_images',
  'image_urls',
  'image_url',
  'mask_url',
  'output_format',
  'image_size',
  'aspect_ratio',
  'resolution',
  'sync_mode',
]);

export async function toFalInput(settings: FalSettings, capabilities: Capabilities, request: ImageRequest) {
  const inputs = request.inputs.map((input) => new Base64Image(input, 'data-uri'));
  // Models with a single resolution refuse the field.
  const resolution = capabilities.resolutions.length > 1 ? { resolution: request.resolution } : {};
  const size =
    settings.sizeBy === 'image_size'
      ? { image_size: { width: request.width, height: request.height } }
      : { aspect_ratio: request.aspectRatio, ...resolution };
  const { mask: wanted } = takenOptions(capabilities, request.options);
  const mask = wanted && new Base64Image(await whiteMask(wanted), 'data-uri');
  const input = {
    prompt: request.prompt,
    num_images: 1,
    ...placeInputs(settings, inputs),
    ...(mask ? { mask_url: mask } : {}),
    output_format: 'png',
    // With a mask, the result has the size of the image and its mask.
    ...(mask ? {} : size),
    ...settings.extra,
  };
  return setFields(input, request.fields);
}

function inputsOf({ inputsBy, ...settings }: FalSettings): number {
  if (inputsBy === 'image_url') return 1;
  return editModelOf(settings) ? 14 : 0;
}

function placeInputs(settings: FalSettings, inputs: readonly Base64Image[]): Record<string, unknown> {
  const [first] = inputs;
  if (!first) return {};
  return settings.inputsBy === 'image_url' || fills(settings) ? { image_url: first } : { image_urls: inputs };
}

function fills({ model, fill = /fill|inpaint/.test(model) }: FalSettings): boolean {
  return fill;
}

function editModelOf({ model, editModel }: FalSettings): string | undefined {
  return editModel ?? (/nano-banana/.test(model) ? `${model}/edit` : undefined);
}
