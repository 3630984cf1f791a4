import { failure, shorten } from '../failure.ts';
import { pick, pickList, pickText } from '../pick.ts';
import { pickImage } from '../pick-image.ts';
import { blocked } from './read-answer.ts';

/** Returns the last image, or throws the reason: https://ai.google.dev/api/interactions-api */
export function readInteraction(answer: unknown): Uint8Array {
  const steps = pickList(answer, 'steps').filter((step) => pickText(step, 'type') === 'model_output');
  const contents = steps.flatMap((step) => pickList(step, 'content'));
  const last = contents.findLast(
    (one) => pickText(one, 'type') === 'image' && pick(one, 'data') !== undefined,
  );
  const image = pickImage(last, 'data');
  if (image) return image;
  const errors = [...pickList(answer, 'errors'), ...steps.map((step) => pick(step, 'error'))];
  const codes = errors.map((error) => pickText(error, 'code') ?? '').join(' ');
  const messages = errors.map((error) => pickText(error, 'message') ?? '').join(' ');
  const status = pickText(answer, 'status') ?? 'none';
  const detail = `status ${status}: ${shorten(`${codes} ${messages}`.trim(), 300)}`;
  if (blocked.test(codes.toUpperCase())) throw failure('safety_blocked', { detail });
  const words = contents.map((one) => pickText(one, 'text') ?? '').join(' ');
  throw failure('no_image', { detail, words });
}
