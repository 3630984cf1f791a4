import { pickText } from '../pick.ts';
import type { FailureKind, ProviderError } from '../provider.ts';
import type { Answer, Upstream } from '../upstream.ts';

/**
 * Error types (`x-amzn-errortype`) whose meaning does not depend on the request:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html and AWS's common errors.
 */
const documented: Readonly<Record<string, FailureKind>> = {
  AccessDeniedException: 'auth',
  ExpiredTokenException: 'auth',
  IncompleteSignatureException: 'auth',
  InvalidSignatureException: 'auth',
  UnrecognizedClientException: 'auth',
  ServiceQuotaExceededException: 'quota',
  ResourceNotFoundException: 'model_not_found',
  ModelNotReadyException: 'unavailable',
};

/** Messages of errors whose type has many causes. They decide only about the job, not the route. */
const messages: readonly [words: RegExp, kind: FailureKind][] = [
  [/content filter|responsible ai|\bAUP\b/i, 'safety_blocked'],
  [/per day/i, 'quota'],
  [/model identifier|on-demand throughput|inference profile|end of (its )?life|legacy/i, 'model_not_found'],
  [/operation not allowed|not authorized|access to the model/i, 'auth'],
];

export function bedrockRefusal(upstream: Upstream, answer: Answer): ProviderError {
  const type = errorType(answer);
  const known = Object.hasOwn(documented, type) ? documented[type] : undefined;
  if (known) return upstream.refusal(answer, { kind: known, proven: known });
  if (type === 'ModelErrorException') return upstream.refusal(answer, { kind: 'bad_response' });
  const message = pickText(answer.json(), 'message') ?? '';
  const told = answer.status < 500 ? messages.find(([words]) => words.test(message))?.[1] : undefined;
  return upstream.refusal(answer, { kind: told });
}

export function isDenied(answer: Answer): boolean {
  return answer.status === 403 && errorType(answer) === 'AccessDeniedException';
}

/** The header may continue with a colon and an address. */
function errorType({ headers }: Answer): string {
  return headers.get('x-amzn-errortype')?.split(':')[0] ?? '';
}
