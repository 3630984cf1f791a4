import { pickList, pickText } from '../pick.ts';
import type { FailureKind, ProviderError } from '../provider.ts';
import type { Answer, Upstream } from '../upstream.ts';

interface Row {
  kind: FailureKind;
  /** `error.code` or `error.type`. */
  codes?: RegExp;
  /** Matches `error.message`, all that LiteLLM and other proxies return. Never opens a circuit immediately. */
  message?: RegExp;
}

/**
 * Codes that concern the route, regardless of the request.
 * OpenAI: https://developers.openai.com/api/docs/guides/error-codes
 * Azure: https://learn.microsoft.com/azure/ai-foundry/openai/reference (`DeploymentNotFound`)
 * LiteLLM: docs/exception_mapping (`budget_exceeded`, `authentication_error`), and `no_db_connection` as recorded.
 */
const documented: readonly (Row & { codes: RegExp })[] = [
  {
    kind: 'quota',
    codes: /^(insufficient_quota|billing_hard_limit_reached|billing_not_active|budget_exceeded)$/,
  },
  {
    kind: 'auth',
    codes:
      /^(invalid_api_key|invalid_organization|authentication_error|no_db_connection|unsupported_country_region_territory)$/,
  },
  { kind: 'model_not_found', codes: /^(model_not_found|DeploymentNotFound)$/ },
];

/**
 * Rules that classify the failure of one job and prove nothing about the route. The first match counts;
 * `docs/providers/openai.md` has the same tables.
 */
const table: readonly Row[] = [
  {
    kind: 'safety_blocked',
    codes: /moderation_blocked|content_policy|content_?filter|safety/i,
    message: /ContentPolicyViolation|safety system/i,
  },
  {
    kind: 'quota',
    codes: /billing|quota_exceeded/i,
    message: /exceeded your current quota|Budget has been exceeded|ExceededBudget/i,
  },
  { kind: 'auth', message: /No connected db|AuthenticationError|Incorrect API key/i },
  {
    kind: 'model_not_found',
    codes:
      /invalid_model|deployment_?not_?found|unknown_parameter|unsupported_parameter|OperationNotSupported/i,
    message: /Invalid model name|Model mismatch|UnsupportedParamsError|Unknown parameter/i,
  },
];

/**
 * OpenAI sends `error.code` or `error.type`, LiteLLM sends only the message, FastAPI sends `detail`, and small servers
 * send a bare string.
 */
export function openAiRefusal(upstream: Upstream, answer: Answer): ProviderError {
  const body = answer.json();
  const codes = [pickText(body, 'error', 'code'), pickText(body, 'error', 'type')].flatMap(
    (one) => one ?? [],
  );
  const message = pickText(body, 'error', 'message') ?? pickText(body, 'error') ?? detailOf(body) ?? '';
  const blocked = kindIn(table.slice(0, 1), codes, message);
  const proven = blocked ? undefined : kindIn(documented, codes, '');
  const isRequest = answer.status === 400 || answer.status === 422;
  const told =
    blocked ?? kindIn(table, codes, message) ?? (isRequest ? refusedPart(body, message) : undefined);
  return upstream.refusal(answer, { kind: proven ?? told, proven });
}

function kindIn(rows: readonly Row[], codes: readonly string[], message: string): FailureKind | undefined {
  return rows.find((row) => codes.some((code) => row.codes?.test(code)) || row.message?.test(message))?.kind;
}

/** Words in messages about a model, a key or an account, not about the image. */
const notTheImage =
  /quota|credit|billing|budget|balance|\bkeys?\b|credential|authenti|authori[sz]|permission|organi[sz]ation|\bmodels?\b|deployment|param|support/i;

/**
 * Tells a mistake in the prompt or an input, which every server refuses, from a size or format that another server may
 * accept.
 */
function refusedPart(body: unknown, message: string): FailureKind | undefined {
  const part = pickText(body, 'error', 'param') ?? schemaPart(body);
  if (part) return /^(prompt|image)/.test(part) ? 'invalid_input' : 'unsupported';
  return detailOf(body) !== undefined || notTheImage.test(message) ? 'unsupported' : undefined;
}

/** FastAPI's `detail` is a sentence or a list of validation errors. */
function detailOf(body: unknown): string | undefined {
  const mistakes = pickList(body, 'detail').map((mistake) => pickText(mistake, 'msg') ?? '');
  return pickText(body, 'detail') ?? (mistakes.length > 0 ? mistakes.join(' ') : undefined);
}

/** The field of the first mistake: `loc` is `["body", "size"]`. */
function schemaPart(body: unknown): string | undefined {
  return pickText(body, 'detail', 0, 'loc', 1);
}

/** Whether the server refuses `response_format`, as GPT image models behind a proxy's alias do. */
export function refusesResponseFormat(answer: Answer): boolean {
  if (answer.status !== 400 && answer.status !== 422) return false;
  const body = answer.json();
  return /response_format/.test(
    `${pickText(body, 'error', 'param')} ${pickText(body, 'error', 'message') ?? pickText(body, 'error')} ${schemaPart(body)}`,
  );
}
