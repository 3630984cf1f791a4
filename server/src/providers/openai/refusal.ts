import { pickText } from '../pick.ts';
import type { FailureKind, ProviderError } from '../provider.ts';
import type { Answer, Upstream } from '../upstream.ts';

/** OpenAI says it in `error.code` or `error.type`, LiteLLM in the message, small servers with a bare string. */
export function openAiRefusal(upstream: Upstream, answer: Answer): ProviderError {
  const body = answer.json();
  const codes = [pickText(body, 'error', 'code'), pickText(body, 'error', 'type')].join(' ');
  const message = pickText(body, 'error', 'message') ?? pickText(body, 'error') ?? '';
  return upstream.refusal(answer, { kind: kindOf(codes, message) });
}

function kindOf(codes: string, message: string): FailureKind | undefined {
  if (/moderation_blocked|content_policy|content_filter|safety/i.test(codes)) return 'safety_blocked';
  if (/ContentPolicyViolation|safety system/i.test(message)) return 'safety_blocked';
  if (/insufficient_quota|billing|budget_exceeded|quota_exceeded/i.test(codes)) return 'quota';
  if (/invalid_api_key|authentication_error|invalid_organization/i.test(codes)) return 'auth';
  if (/model_not_found|invalid_model|deployment_?not_?found/i.test(codes)) return 'model_not_found';
  return undefined;
}
