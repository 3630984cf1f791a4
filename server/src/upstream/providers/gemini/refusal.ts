import { pickList, pickText } from '../pick.ts';
import type { FailureKind, ProviderError } from '../provider.ts';
import { durationMs } from '../retry-after.ts';
import type { Answer, Upstream } from '../upstream.ts';

/** Maps `google.rpc` errors, whose reason is in `details`. A bad key gives status 400. */
export function geminiRefusal(upstream: Upstream, answer: Answer): ProviderError {
  const body = answer.json();
  const details = pickList(body, 'error', 'details');
  const retryDelay = details
    .map((detail) => pickText(detail, 'retryDelay'))
    .find((text) => text !== undefined);
  const documented = documentedKind(body, details);
  return upstream.refusal(answer, {
    kind: documented ?? kindInWords(answer.status, pickText(body, 'error', 'message') ?? ''),
    proven: documented,
    retryAfterMs: durationMs(retryDelay),
  });
}

/**
 * Reads `reason`, `quotaId` and `status`, whose meaning does not depend on the request:
 * https://docs.cloud.google.com/apis/design/errors, https://ai.google.dev/gemini-api/docs/troubleshooting. A request
 * names no resource other than the model, so NOT_FOUND can only mean the model.
 */
function documentedKind(body: unknown, details: readonly unknown[]): FailureKind | undefined {
  const reasons = details.map((detail) => pickText(detail, 'reason') ?? '').join(' ');
  if (/API_KEY_|ACCESS_TOKEN_|SERVICE_DISABLED/.test(reasons)) return 'auth';
  if (/BILLING_DISABLED/.test(reasons) || hasSpentDay(details)) return 'quota';
  switch (pickText(body, 'error', 'status')) {
    case 'UNAUTHENTICATED':
    case 'PERMISSION_DENIED':
      return 'auth';
    // According to the documentation, this status means that the country has no free tier and billing is off.
    case 'FAILED_PRECONDITION':
      return /billing/i.test(pickText(body, 'error', 'message') ?? '') ? 'quota' : 'auth';
    case 'NOT_FOUND':
      return 'model_not_found';
    default:
      return undefined;
  }
}

function hasSpentDay(details: readonly unknown[]): boolean {
  const violations = details.flatMap((detail) => pickList(detail, 'violations'));
  return violations.some((violation) =>
    /per_?day/i.test(`${pickText(violation, 'quotaId')} ${pickText(violation, 'quotaMetric')}`),
  );
}

/**
 * Guesses the kind from the message. Every 429 says "check your plan and billing details", even for a limit per minute,
 * so these words are ignored.
 */
function kindInWords(status: number, message: string): FailureKind | undefined {
  if (status === 400 && /API key/.test(message)) return 'auth';
  const said = message.replaceAll(/check your plan and billing details/gi, '');
  if (status === 429 && /per day|daily|limit: 0\b|billing|spend|credit|prepa/i.test(said)) return 'quota';
  return undefined;
}
