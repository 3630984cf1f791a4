import { type FailureInfo, type FailureKind, ProviderError } from './provider.ts';

/** `words` is the text that the model returned instead of an image. */
export function failure(
  kind: FailureKind,
  info: FailureInfo & { words?: string | undefined } = {},
): ProviderError {
  const { words, ...rest } = info;
  const spoken = words?.replaceAll(/\s+/g, ' ').trim();
  const sentence = spoken
    ? `${failureSentences[kind]} It said: “${shorten(spoken, maxWords)}”`
    : failureSentences[kind];
  return new ProviderError(kind, sentence, rest);
}

export function abortFailure(signal: AbortSignal, info: FailureInfo = {}): ProviderError {
  const late = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
  return failure(late ? 'timeout' : 'cancelled', { cause: signal.reason, ...info });
}

/** The kind that a status implies, for adapters that find nothing in the body. */
export function kindOfStatus(status: number): FailureKind {
  if (status === 401 || status === 403) return 'auth';
  if (status === 402) return 'quota';
  if (status === 404 || status === 405 || status === 410) return 'model_not_found';
  if (status === 429) return 'rate_limited';
  // Cloudflare sends 524 if the origin accepted the request but did not answer in time.
  if (status === 408 || status === 504 || status === 524) return 'timeout';
  if (status === 409 || status === 425 || status === 499 || status >= 500) return 'unavailable';
  return status >= 400 ? 'invalid_input' : 'bad_response';
}

/**
 * The kind that a status proves about a route: credentials, payment, an overloaded server or too many requests (RFC
 * 9110, 15.5.2, 15.5.3, 15.6.4; RFC 6585, 4). Other statuses prove nothing. A firewall may send 403 for a prompt, and a
 * server without this call 404; a request that is too large may lead to 500 or 504.
 */
export function provenByStatus(status: number): FailureKind | undefined {
  return provenStatuses.has(status) ? kindOfStatus(status) : undefined;
}

const provenStatuses = new Set([401, 402, 429, 503]);

export function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** The length of quoted words, enough for a refusal and short enough for an error line. */
const maxWords = 300;

export const failureSentences: Record<FailureKind, string> = {
  invalid_input: 'The image model did not accept this request. Change the prompt or the input images.',
  unsupported:
    'The image model did not accept this request. Try another size or other input images, or ask the operator.',
  safety_blocked:
    'The image model refused this request for safety reasons. Change the prompt or the input images.',
  no_image: 'The image model answered without an image. Describe the image more plainly.',
  auth: 'The image model cannot be used because its credentials are refused. Ask the operator, or try again later.',
  quota:
    'The image model cannot be used because its quota or credit is used up. Ask the operator, or try again later.',
  rate_limited: 'The image model gets too many requests at the moment. Try again later.',
  model_not_found: 'The image model is not there as configured. Ask the operator, or try again later.',
  unavailable: 'The image model is not available at the moment. Try again later.',
  timeout: 'The image model did not answer in time. Try again, perhaps with a lower resolution.',
  network: 'The image model could not be reached. Try again later.',
  bad_response: 'The image model gave an answer that cannot be used. Try again later.',
  cancelled: 'The work on this image was stopped.',
};
