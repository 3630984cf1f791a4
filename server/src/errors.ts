/** Every failure that a person sees has one of these codes. `base/http/problems.ts` has its status and advice. */
export const errorCodes = [
  'key_missing',
  'key_invalid',
  'model_forbidden',
  'insufficient_funds',
  'spend_limit_reached',
  'open_jobs_limit_reached',
  'input_limit_reached',
  'token_forbidden',
  'key_forbidden',
  'not_found',
  'method_not_allowed',
  'unsupported_media_type',
  'body_too_large',
  'headers_too_large',
  'request_timeout',
  'malformed_request',
  'invalid_request',
  'inputs_unusable',
  'prompt_refused',
  'upload_limit_reached',
  'idempotency_key_reused',
  'reference_reused',
  'idempotency_key_in_use',
  'job_not_cancellable',
  'job_not_finished',
  'changed_meanwhile',
  'nothing_to_deliver',
  'link_invalid',
  'image_gone',
  'range_not_satisfiable',
  'voucher_refused',
  'payments_unavailable',
  'too_many_requests',
  'session_missing',
  'sign_in_refused',
  'captcha_refused',
  'captcha_unavailable',
  'authenticator_unreadable',
  'webhook_secret_unreadable',
  'panel_link_invalid',
  'second_factor_required',
  'operator_required',
  'scope_required',
  'role_forbidden',
  'origin_refused',
  'address_refused',
  'account_disabled',
  'storage_unavailable',
  'project_paused',
  'model_paused',
  'no_route',
  'database_unavailable',
  'overloaded',
  'shutting_down',
  'internal',
] as const;
export type ErrorCode = (typeof errorCodes)[number];

/** Codes that only pages of the panel receive. */
const pageErrorCodes = [
  'key_forbidden',
  'session_missing',
  'sign_in_refused',
  'captcha_refused',
  'captcha_unavailable',
  'authenticator_unreadable',
  'panel_link_invalid',
  'second_factor_required',
  'operator_required',
  'role_forbidden',
  'account_disabled',
] as const;
type PageErrorCode = (typeof pageErrorCodes)[number];
export type PublicErrorCode = Exclude<ErrorCode, PageErrorCode>;

export const publicErrorCodes = errorCodes.filter(
  (code): code is PublicErrorCode => !pageErrorCodes.some((one) => one === code),
);

export interface ErrorDetails {
  /** Wrong parts of the request, and why; `pointer` is a JSON pointer into the body. */
  errors?: { pointer: string; detail: string; code?: string }[];
  /** Null for no `Retry-After` header, undefined for the code's usual value. */
  retryAfterSeconds?: number | null | undefined;
  /** Decimal amounts, on `insufficient_funds` and `spend_limit_reached`. */
  available?: string;
  required?: string;
  /** The limit that was reached, for `spend_limit_reached`, `open_jobs_limit_reached` and `input_limit_reached`. */
  limit?: ReachedLimit;
  scopes?: readonly string[];
}

export interface ReachedLimit {
  of: 'account' | 'key' | 'client_token';
  per: 'hour' | 'day' | 'month' | 'total' | 'open' | 'waiting' | 'input';
  /** A decimal amount; a number of jobs if `per` is `open` or `waiting`, and of bytes per day if it is `input`. */
  most: string;
  /** ISO 8601; null if the limit never resets. */
  resets_at: string | null;
}

export class AppError extends Error {
  override name = 'AppError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  /** `message` is a sentence for the person who sent the request. */
  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.details = details;
  }
}

/** An invalid setting, found before the server starts to serve. The message is a sentence that names the setting. */
export class SettingError extends Error {
  override name = 'SettingError';
}

/** A mistake in a query parameter. `detail` continues the sentence after the parameter's name. */
export function wrongParameter(name: string, detail: string): AppError {
  return new AppError('invalid_request', `The parameter "${name}" ${detail}`, {
    errors: [{ pointer: `/query/${name}`, detail }],
  });
}

/** A mistake in one field of a body. `detail` continues the sentence after the pointer. `code` is for programs. */
export function invalidField(pointer: string, detail: string, code?: string): AppError {
  const error = { pointer, detail, ...(code !== undefined && { code }) };
  return new AppError('invalid_request', `${pointer} ${detail}`, { errors: [error] });
}
