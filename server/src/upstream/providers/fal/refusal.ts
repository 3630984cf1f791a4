import { pickList, pickText } from '../pick.ts';
import type { FailureKind, ProviderError } from '../provider.ts';
import type { Answer, Upstream } from '../upstream.ts';

/** Models answer with `detail: [{type, msg}]`, and the platform with `detail: "…"` and `error_type`. */
export function falRefusal(upstream: Upstream, answer: Answer): ProviderError {
  const body = answer.json();
  const types = [typeOf(body), answer.headers.get('x-fal-error-type')].join(' ');
  const sentence = pickText(body, 'detail');
  // A 403 with `detail` is about the key or its account: https://docs.fal.ai/model-apis/errors
  if (answer.status === 403 && sentence !== undefined) {
    const kind = /balance|credit|billing|locked/i.test(sentence) ? 'quota' : 'auth';
    return upstream.refusal(answer, { kind, proven: kind });
  }
  // A 422 may be charged; a status of 500 or above never is: https://fal.ai/docs/documentation/model-apis/faq
  const sent = answer.status === 422;
  const found = kindOf(types);
  // This proves nothing about the route: the request may have been too much for fal's runner.
  if (found) return upstream.refusal(answer, { kind: found, proven: null, sent });
  const refusal = upstream.refusal(answer, { sent });
  const final = refusal.kind === 'unavailable' && answer.headers.get('x-fal-retryable') === 'false';
  return final ? upstream.refusal(answer, { kind: 'bad_response' }) : refusal;
}

/** Whether the answer is from the model or fal's platform, and not from a failing gateway. */
export function isVerdict(answer: Answer): boolean {
  return typeOf(answer.json()) !== '' || answer.headers.has('x-fal-error-type');
}

function typeOf(body: unknown): string {
  const types = pickList(body, 'detail').map((detail) => pickText(detail, 'type') ?? '');
  return [...types, pickText(body, 'error_type') ?? ''].join(' ').trim();
}

function kindOf(types: string): FailureKind | undefined {
  if (/content_policy|safety|nsfw/.test(types)) return 'safety_blocked';
  if (/no_media_generated/.test(types)) return 'no_image';
  if (/generation_timeout|request_timeout/.test(types)) return 'timeout';
  if (/startup_timeout|runner_|downstream_service|internal/.test(types)) return 'unavailable';
  return undefined;
}
