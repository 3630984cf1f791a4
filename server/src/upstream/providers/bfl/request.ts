import { Base64Image } from '../body.ts';
import { fitInput, whiteMask } from '../fit-input.ts';
import { fitSize } from '../fit-size.ts';
import type { ImageRequest } from '../provider.ts';
import { setFields, takesAllBut } from '../set-fields.ts';
import { type Family, inputFieldsOf } from './families.ts';
import type { BflSettings } from './settings.ts';

const inputLimits = { maxBytes: 20_000_000, maxPixels: 20_000_000 };

/** `webhook_url` is reserved, because it would remove the result's address from the answer. */
export function bflTakes(family: Family): (path: string) => boolean {
  const size = family.pixels ? ['width', 'height'] : ['aspect_ratio'];
  return takesAllBut([
    'prompt',
    'output_format',
    'webhook_url',
    'webhook_secret',
    ...size,
    ...(family.takesResolution ? ['resolution'] : []),
    ...inputFieldsOf(family),
  ]);
}

export async function toBflRequest(settings: BflSettings, family: Family, request: ImageRequest) {
  const images: Base64Image[] = [];
  for (const input of request.inputs)
    images.push(new Base64Image(await fitInput(input, inputLimits), 'plain'));
  const mask = family.fills ? request.options?.mask : undefined;
  const body = {
    prompt: request.prompt,
    ...sizeOf(family, request),
    ...placeInputs(family, images),
    ...(mask && { mask: new Base64Image(await whiteMask(mask), 'plain') }),
    ...(family.omitsFormat ? {} : { output_format: 'png' }),
    ...settings.extra,
  };
  return setFields(body, request.fields);
}

function sizeOf({ pixels, takesResolution, fills }: Family, request: ImageRequest) {
  if (fills) return {};
  if (pixels) return fitSize(request, pixels);
  const resolution = takesResolution ? { resolution: request.resolution.toLowerCase() } : {};
  return { aspect_ratio: request.aspectRatio, ...resolution };
}

function placeInputs(family: Family, images: readonly Base64Image[]): Record<string, unknown> {
  if (images.length === 0) return {};
  const fields = inputFieldsOf(family);
  if (family.inputField === 'images') return { images };
  return Object.fromEntries(images.map((image, index) => [fields[index], image]));
}
