import { pickList, pickText } from '../pick.ts';
import type { FailureKind, ProviderError } from '../provider.ts';
import { durationMs } from '../retry-after.ts';
import type { Answer, Upstream } from '../upstream.ts';

/** Maps `google.rpc` errors. The reason is in `details`; the status of a bad key is 400. */
export function geminiRefusal(upstream: Upstream, answer: Answer): ProviderError {
  const body = answer.json();
  const details = pickList(body, 'error', 'details');
  const retryDelay = details
    .map((detail) => pickText(detail, 'retryDelay'))
    .find((text) => text !== undefined);
  return upstream.refusal(answer, {
    kind: kindOf(answer.status, body, details),
    retryAfterMs: durationMs(retryDelay),
  });
}

function kindOf(status: number, body: unknown, details: readonly unknown[]): FailureKind | undefined {
  const message = pickText(body, 'error', 'message') ?? '';
  const reasons = details.map((detail) => pickText(detail, 'reason') ?? '').join(' ');
  if (/API_KEY_|ACCESS_TOKEN_|SERVICE_DISABLED/.test(reasons) || (status === 400 && /API key/.test(message)))
    return 'auth';
  if (/BILLING_DISABLED/.test(reasons)) return 'quota';
  if (pickText(body, 'error', 'status') === 'FAILED_PRECONDITION')
    return /billing/i.test(message) ? 'quota' : 'auth';
  if (status === 429 && isSpent(message, details)) return 'quota';
  return undefined;
}

/**
 * A daily or billing limit. Every 429 says "check your plan and billing details", including those for a
 * minute's limit, so that sentence proves nothing.
 */
function isSpent(message: string, details: readonly unknown[]): boolean {
  const violations = details.flatMap((detail) => pickList(detail, 'violations'));
  const quotas = violations.map(
    (violation) => `${pickText(violation, 'quotaId')} ${pickText(violation, 'quotaMetric')}`,
  );
  const said = message.replaceAll(/check your plan and billing details/gi, '');
  return (
    /per_?day/i.test(quotas.join(' ')) || /per day|daily|limit: 0\b|billing|spend|credit|prepa/i.test(said)
  );
}
