import { failure, shorten } from '../failure.ts';
import { pick, pickList, pickText } from '../pick.ts';
import { pickImage } from '../pick-image.ts';

export const blocked = /SAFETY|PROHIBITED|RECITATION|BLOCKLIST|SPII|MODEL_ARMOR|ESCALATION/;
/** Matches the reason given when the project may not use the model. Only the operator can resolve that. */
const refused = /PUP_LIMITED_DISABLED/;

/**
 * Returns the last image that is not part of the model's thoughts.
 * @throws ProviderError with the reason if there is no image
 */
export function readAnswer(answer: unknown): Uint8Array {
  const blockReason = pickText(answer, 'promptFeedback', 'blockReason');
  if (blockReason) throw failure('safety_blocked', { detail: `blockReason ${blockReason}` });
  const candidate = pick(answer, 'candidates', 0);
  const reason = pickText(candidate, 'finishReason') ?? 'none';
  const detail = `finishReason ${reason}: ${shorten(pickText(candidate, 'finishMessage') ?? '', 300)}`;
  if (blocked.test(reason)) throw failure('safety_blocked', { detail });
  if (refused.test(reason)) throw failure('auth', { detail });

  const parts = pickList(candidate, 'content', 'parts').filter((part) => pick(part, 'thought') !== true);
  const last = parts.findLast((part) => pick(part, 'inlineData', 'data') !== undefined);
  const image = pickImage(last, 'inlineData', 'data');
  if (image) return image;
  const words = parts.map((part) => pickText(part, 'text') ?? '').join(' ');
  throw failure('no_image', { detail, words });
}
