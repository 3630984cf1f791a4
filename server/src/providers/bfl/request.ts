import { Base64Image } from '../body.ts';
import { fitInput } from '../fit-input.ts';
import { fitSize } from '../fit-size.ts';
import type { ImageRequest } from '../provider.ts';
import { setFields, takesAllBut } from '../set-fields.ts';
import { type Family, inputFieldsOf } from './families.ts';
import type { BflSettings } from './settings.ts';

/** What BFL takes for one input. */
const inputLimits = { maxBytes: 20_000_000, maxPixels: 20_000_000 };

/** With `webhook_url`, the answer would not say where to ask for the result. */
export function bflTakes(family: Family): (path: string) => boolean {
  const size = family.pixels ? ['width', 'height'] : ['aspect_ratio'];
  return takesAllBut([
    'prompt',
    'output_format',
    'webhook_url',
    'webhook_secret',
    ...size,
    ...inputFieldsOf(family),
  ]);
}

export async function toBflRequest(settings: BflSettings, family: Family, request: ImageRequest) {
  const size = family.pixels ? fitSize(request, family.pixels) : { aspect_ratio: request.aspectRatio };
  const images: Record<string, Base64Image> = {};
  for (const [index, field] of inputFieldsOf(family).entries()) {
    const input = request.inputs[index];
    if (input) images[field] = new Base64Image(await fitInput(input, inputLimits), 'plain');
  }
  const body = { prompt: request.prompt, ...size, ...images, output_format: 'png', ...settings.extra };
  return setFields(body, request.fields);
}
