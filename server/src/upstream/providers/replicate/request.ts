import { allRatios, commonRatios, resolutions } from '../../catalog/models.ts';
import type { Capabilities, ImageRequest } from '../provider.ts';
import { setFields, takesAllBut } from '../set-fields.ts';
import type { ReplicateSettings } from './settings.ts';

export function replicateCapabilities(settings: ReplicateSettings): Capabilities {
  const { model } = settings;
  const banana = /nano-banana/.test(model);
  const exact = settings.sizeBy === 'width_height';
  const manySizes = /nano-banana-(2|pro)/.test(model);
  const inputs = banana ? 14 : isFlux2(model) ? 8 : settings.inputField ? 1 : 0;
  return {
    ratios: settings.ratios ?? (exact ? allRatios : commonRatios),
    resolutions: settings.resolutions ?? (manySizes ? resolutions : ['1K']),
    maxInputs: settings.maxInputs ?? inputs,
    resumable: true,
  };
}

export function replicateTakes(settings: ReplicateSettings): (path: string) => boolean {
  const { field } = inputsOf(settings);
  const takes = takesAllBut([
    'prompt',
    'output_format',
    field,
    ...(settings.sizeBy === 'width_height' ? ['width', 'height'] : ['aspect_ratio', 'resolution']),
  ]);
  return (path) => takes(path) && !(path.startsWith(`${field}_`) && /_\d+$/.test(path));
}

export function toReplicateInput(
  settings: ReplicateSettings,
  capabilities: Capabilities,
  request: ImageRequest,
  links: readonly string[],
) {
  // Models with a single resolution refuse the field `resolution`.
  const resolution = capabilities.resolutions.length > 1 ? { resolution: request.resolution } : {};
  const size =
    settings.sizeBy === 'width_height'
      ? { width: request.width, height: request.height }
      : { aspect_ratio: request.aspectRatio, ...resolution };
  const input = {
    prompt: request.prompt,
    ...size,
    ...inputFields(settings, links),
    output_format: 'png',
    ...settings.extra,
  };
  return setFields(input, request.fields);
}

function inputFields(settings: ReplicateSettings, links: readonly string[]): Record<string, unknown> {
  if (links.length === 0) return {};
  const { field, numbered } = inputsOf(settings);
  if (!numbered) return { [field]: links };
  return Object.fromEntries(
    links.map((link, index) => [index === 0 ? field : `${field}_${index + 1}`, link]),
  );
}

function inputsOf({ inputStyle, inputField, model }: ReplicateSettings) {
  return {
    numbered: inputStyle ? inputStyle === 'numbered' : isFlux2(model),
    field: inputField ?? (isFlux2(model) ? 'input_image' : 'image_input'),
  };
}

function isFlux2(model: string): boolean {
  return /\/flux-2/.test(model);
}
