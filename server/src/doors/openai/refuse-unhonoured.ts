import { wrongField } from '../door-errors.ts';
import { type Fields, take } from './fields.ts';

/**
 * Options of OpenAI's API that no model here can honour, each with the values that ask for nothing. Others are
 * refused: an image made as if they were not there would be charged, and not what was asked for.
 */
const unhonoured: Record<string, { harmless: readonly unknown[]; why: string }> = {
  background: {
    harmless: ['auto', 'opaque'],
    why: 'Images are opaque: background takes auto or opaque.',
  },
  partial_images: {
    harmless: [0, '0'],
    why: 'A stream brings the finished image only: leave partial_images out, or send 0.',
  },
  moderation: {
    harmless: ['auto'],
    why: 'The content filter of the upstream model cannot be changed: leave moderation out, or send auto.',
  },
  mask: {
    harmless: [],
    why: 'Masks cannot be honoured: describe in the prompt what is to change and what is to stay.',
  },
  markup: {
    harmless: [],
    why: 'Markup cannot be honoured: send it as a further image and refer to it in the prompt.',
  },
  input_fidelity: { harmless: [], why: 'How closely images are followed cannot be set: leave it out.' },
  style: { harmless: [], why: 'Describe the style in the prompt, and leave the field out.' },
  complexity: { harmless: [], why: 'How long the model plans cannot be set: leave complexity out.' },
  frame_count: { harmless: [], why: 'Animations are not made: leave frame_count out.' },
  frame_duration_ms: { harmless: [], why: 'Animations are not made: leave frame_duration_ms out.' },
  svg: { harmless: [], why: 'Drawings in SVG are not made: leave svg out.' },
};

/** @throws AppError `invalid_request` for the first of them */
export function refuseUnhonoured(fields: Fields): void {
  for (const [name, { harmless, why }] of Object.entries(unhonoured)) {
    const value = take(fields, name);
    if (value !== undefined && !harmless.includes(value)) throw wrongField(`/${name}`, why);
  }
}
