import type { Model } from '../../../upstream/catalog/models.ts';
import { wrongField } from '../door-errors.ts';
import { type Fields, take } from './fields.ts';

/**
 * Options that no model here supports. Harmless values are accepted. Values that OpenAI treats as wishes are ignored
 * and listed in the answer. Others are refused, because the client would pay for an image that it did not request.
 */
const unhonoured: Record<
  string,
  { harmless: readonly unknown[]; ignored?: readonly unknown[]; why: string }
> = {
  partial_images: {
    harmless: [0, '0'],
    // OpenAI: "You may receive fewer partial images than requested if the full image is generated more quickly."
    ignored: [1, 2, 3, '1', '2', '3'],
    why: 'A stream sends only the finished image: partial_images must be 0 to 3.',
  },
  moderation: {
    harmless: ['auto'],
    ignored: ['low'],
    why: "The upstream model's content filter cannot be changed: moderation must be auto or low.",
  },
  markup: {
    harmless: [],
    why: 'Markup is not supported: send it as an additional image and refer to it in the prompt.',
  },
  input_fidelity: {
    harmless: [],
    ignored: ['low', 'high'],
    why: 'How closely images are followed cannot be set: input_fidelity must be low or high.',
  },
  style: { harmless: [], why: 'Describe the style in the prompt, and leave the field out.' },
  complexity: { harmless: [], why: 'How long the model plans cannot be set: leave complexity out.' },
  frame_count: { harmless: [], why: 'Animations are not supported: leave frame_count out.' },
  frame_duration_ms: { harmless: [], why: 'Animations are not supported: leave frame_duration_ms out.' },
  svg: { harmless: [], why: 'SVG is not supported: leave svg out.' },
};

/** Returns the ignored options. @throws AppError `invalid_request` for the first refused option */
export function refuseUnhonoured(fields: Fields, { parameters }: Pick<Model, 'parameters'>): string[] {
  const ignoredNames: string[] = [];
  for (const [name, { harmless, ignored = [], why }] of Object.entries(unhonoured)) {
    if (Object.hasOwn(parameters, name)) continue;
    const value = take(fields, name);
    if (value === undefined || harmless.includes(value)) continue;
    if (!ignored.includes(value)) throw wrongField(`/${name}`, why);
    ignoredNames.push(name);
  }
  return ignoredNames;
}
