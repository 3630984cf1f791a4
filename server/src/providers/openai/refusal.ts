import { pickText } from '../pick.ts';
import type { FailureKind, ProviderError } from '../provider.ts';
import type { Answer, Upstream } from '../upstream.ts';

interface Words {
  kind: FailureKind;
  /** Matches `error.code` or `error.type`, which OpenAI keeps stable. */
  codes?: RegExp;
  /** Matches `error.message`, which is all that LiteLLM and other proxies return. */
  message?: RegExp;
}

/**
 * Errors of OpenAI, LiteLLM and other proxies; the first match decides. `docs/providers/openai.md` has the
 * same table.
 */
const table: readonly Words[] = [
  {
    kind: 'safety_blocked',
    codes: /moderation_blocked|content_policy|content_?filter|safety/i,
    message: /ContentPolicyViolation|safety system/i,
  },
  {
    kind: 'quota',
    codes: /insufficient_quota|billing|budget_exceeded|quota_exceeded/i,
    message: /exceeded your current quota|Budget has been exceeded|ExceededBudget/i,
  },
  {
    kind: 'auth',
    codes: /invalid_api_key|authentication_error|invalid_organization|no_db_connection/i,
    message: /No connected db|AuthenticationError|Incorrect API key/i,
  },
  {
    kind: 'model_not_found',
    codes: /model_not_found|invalid_model|deployment_?not_?found|unknown_parameter|unsupported_parameter/i,
    message: /Invalid model name|UnsupportedParamsError|Unknown parameter/i,
  },
];

/**
 * Refusals that match no row above, but concern what only an operator can change, so the client must not be
 * told to change the prompt. Fields that the client fills are excluded first.
 */
const operators: readonly Words[] = [
  { kind: 'quota', message: /quota|credit|billing|budget|balance/i },
  { kind: 'auth', message: /\bkeys?\b|credential|authenti|authori[sz]|permission|organi[sz]ation/i },
  { kind: 'model_not_found', message: /\bmodels?\b|deployment|param|unsupported|not supported/i },
];

/** OpenAI uses `error.code` or `error.type`, LiteLLM the message, small servers a bare string. */
export function openAiRefusal(upstream: Upstream, answer: Answer): ProviderError {
  const body = answer.json();
  const codes = [pickText(body, 'error', 'code'), pickText(body, 'error', 'type')].join(' ');
  const message = pickText(body, 'error', 'message') ?? pickText(body, 'error') ?? '';
  const known = table.find((row) => row.codes?.test(codes) || row.message?.test(message));
  const isClients = /^(prompt|image)/.test(pickText(body, 'error', 'param') ?? '');
  const guess =
    answer.status === 400 || answer.status === 422
      ? operators.find((row) => !isClients && row.message?.test(message))
      : undefined;
  return upstream.refusal(answer, { kind: known?.kind ?? guess?.kind });
}

/** Whether the server refuses `response_format`, as GPT image models behind a proxy's alias do. */
export function refusesResponseFormat(answer: Answer): boolean {
  if (answer.status !== 400 && answer.status !== 422) return false;
  const body = answer.json();
  return /response_format/.test(
    `${pickText(body, 'error', 'param')} ${pickText(body, 'error', 'message') ?? pickText(body, 'error')}`,
  );
}
