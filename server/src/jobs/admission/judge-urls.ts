import { maxUrlLength } from '../../base/guard/check-url.ts';
import { AppError } from '../../errors.ts';
import { listPointer, maskPointer, unusableInputs } from '../../images/inputs/input-errors.ts';
import { maxInputs } from '../../images/inputs/limits.ts';
import { type CheckTarget, maxTargetLength } from '../../notify/webhooks/webhook-target.ts';

/** Checks of a URL's text without a DNS lookup or a connection. */
export interface UrlChecks {
  checkTarget: CheckTarget;
  /** Why this URL must not be fetched as an input; undefined if it may. */
  checkInput(url: string): string | undefined;
}

/** Finds errors in the URLs of a body. Skips values that the schema refuses. */
export function judgeUrls(body: unknown, { checkTarget, checkInput }: UrlChecks): AppError[] {
  if (typeof body !== 'object' || body === null) return [];
  const { callback_url: callback, input_images_urls: inputs, mask_url: mask } = Object(body);
  const target = isTargetText(callback) ? checkTarget(callback) : undefined;
  const blocked = (Array.isArray(inputs) ? inputs.slice(0, maxInputs) : []).flatMap((url: unknown, index) => {
    const detail = isUrlText(url) ? checkInput(url) : undefined;
    return detail === undefined
      ? []
      : [{ pointer: `${listPointer}/${index}`, code: 'input_blocked', detail }];
  });
  const why = isUrlText(mask) ? checkInput(mask) : undefined;
  if (why !== undefined) blocked.push({ pointer: maskPointer, code: 'input_blocked', detail: why });
  return [
    ...(target?.ok === false ? [callbackError(target.detail)] : []),
    ...(blocked.length > 0 ? [unusableInputs(blocked)] : []),
  ];
}

function isUrlText(url: unknown): url is string {
  return isTextUpTo(maxUrlLength, url) && /^https?:\/\//.test(url);
}

function isTargetText(url: unknown): url is string {
  return isTextUpTo(maxTargetLength, url) && /^https?:\/\/./i.test(url);
}

/** Counts an emoji as one character, like the schema. `length` counts two: some allowed URLs would pass unchecked. */
function isTextUpTo(most: number, url: unknown): url is string {
  return typeof url === 'string' && [...url].length <= most;
}

function callbackError(detail: string): AppError {
  return new AppError('invalid_request', `The callback_url cannot be used. ${detail}`, {
    errors: [{ pointer: '/callback_url', detail }],
  });
}
