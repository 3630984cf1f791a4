import { pickText } from '../pick.ts';
import type { FailureKind, ProviderError } from '../provider.ts';
import type { Answer, Upstream } from '../upstream.ts';

/** What `x-amzn-errortype` says, where the status would say something else. */
const kinds: Readonly<Record<string, FailureKind>> = {
  ServiceQuotaExceededException: 'quota',
  ModelNotReadyException: 'unavailable',
  ModelErrorException: 'bad_response',
  IncompleteSignatureException: 'auth',
  ExpiredTokenException: 'auth',
};

/** Messages, for errors whose type covers causes of many kinds. */
const messages: readonly [words: RegExp, kind: FailureKind][] = [
  [/content filter|responsible ai|\bAUP\b/i, 'safety_blocked'],
  [/per day/i, 'quota'],
  [/model identifier|on-demand throughput|inference profile|end of (its )?life|legacy/i, 'model_not_found'],
  [/operation not allowed|not authorized|access to the model/i, 'auth'],
];

export function bedrockRefusal(upstream: Upstream, answer: Answer): ProviderError {
  const message = pickText(answer.json(), 'message') ?? '';
  const told = answer.status < 500 ? messages.find(([words]) => words.test(message))?.[1] : undefined;
  return upstream.refusal(answer, { kind: kinds[errorType(answer)] ?? told });
}

/** The credentials are good, but their policy does not allow this call. */
export function isDenied(answer: Answer): boolean {
  return answer.status === 403 && errorType(answer) === 'AccessDeniedException';
}

/** Followed by a colon and an address. */
function errorType({ headers }: Answer): string {
  return headers.get('x-amzn-errortype')?.split(':')[0] ?? '';
}
