import { notJson } from '../../../base/http/json-body.ts';
import { validationError } from '../../../base/http/validation-errors.ts';
import type { ErrorCode, ErrorDetails } from '../../../errors.ts';
import { resolutions } from '../../../upstream/catalog/models.ts';

interface ProblemSample {
  /** The detail; the meaning of the code by default. */
  detail?: string;
  headers?: string[];
  more?: Omit<ErrorDetails, 'retryAfterSeconds'>;
}

const soon = ['Retry-After: 1'];
const minutes = ['Retry-After: 120'];

const notFetched =
  'The server answered with status 404 instead of 200. Check that the URL works without signing in.';

const { message: notValid, details: wrongFields } = validationError(
  [
    { keyword: 'required', instancePath: '', schemaPath: '', params: { missingProperty: 'aspect_ratio' } },
    { keyword: 'enum', instancePath: '/resolution', schemaPath: '', params: { allowedValues: resolutions } },
  ],
  'body',
);

/** The fields of examples in addition to those of every problem. */
export const problemSamples: Partial<Record<ErrorCode, ProblemSample>> = {
  key_missing: { detail: 'Send your API key in one header: "Authorization: Bearer <API_KEY>".' },
  key_invalid: {
    detail: 'This API key is unknown, disabled or expired. Create a new one and use it instead.',
  },
  model_forbidden: {
    detail: 'This API key may use nb2 but not pro. Use a key that is allowed to use pro.',
  },
  insufficient_funds: {
    detail: 'This job costs 0.15 and 0.08 is available. Add credit and send it again.',
    more: { available: '0.08', required: '0.15' },
  },
  spend_limit_reached: {
    detail:
      'This job costs 0.15, and 0.08 is left of the 5.00 a day that this key may spend. The limit starts anew at 2026-03-02T00:00:00.000Z.',
    more: {
      available: '0.08',
      required: '0.15',
      limit: { of: 'key', per: 'day', most: '5.00', resets_at: '2026-03-02T00:00:00.000Z' },
    },
  },
  open_jobs_limit_reached: {
    detail: 'This account may have 20 unfinished jobs, and has as many. Wait until some have ended.',
    more: { limit: { of: 'account', per: 'open', most: '20', resets_at: null } },
  },
  input_limit_reached: {
    detail:
      'This key may send 500,000,000 bytes of input images a day, and has sent 499,120,004 bytes. The limit starts anew at 2026-03-02T00:00:00.000Z.',
    headers: ['Retry-After: 5400'],
    more: { limit: { of: 'key', per: 'input', most: '500000000', resets_at: '2026-03-02T00:00:00.000Z' } },
  },
  not_found: { detail: 'There is no such job.' },
  method_not_allowed: { detail: 'This address takes GET, HEAD.', headers: ['Allow: GET, HEAD'] },
  unsupported_media_type: { detail: notJson },
  invalid_request: { detail: notValid, more: wrongFields },
  prompt_refused: { detail: 'The policy of this service refuses the request.' },
  inputs_unusable: {
    detail: notFetched,
    more: {
      errors: [{ pointer: '/input_images_urls/1', detail: notFetched, code: 'input_unfetchable' }],
    },
  },
  upload_limit_reached: {
    detail:
      'An account keeps at most 1,000 uploads with 1,073,741,824 bytes in all. Delete some, or wait until they expire.',
  },
  idempotency_key_in_use: { headers: soon },
  job_not_finished: { detail: 'The job has not ended. Wait until it has, or cancel it first.' },
  job_not_cancellable: { detail: 'Only a job that has not ended can be cancelled; this one is done.' },
  nothing_to_deliver: { detail: 'The account has no webhook. Set one first.' },
  too_many_requests: {
    detail: 'This key may send 10 requests a second. Wait and send the request again.',
    headers: [...soon, 'RateLimit-Policy: "key";q=20;w=2', 'RateLimit: "key";r=0;t=1'],
  },
  project_paused: {
    detail: 'This service is paused: maintenance. Send the request again later.',
    headers: minutes,
  },
  model_paused: { detail: 'The model nb2 is paused. Send the request again later.', headers: minutes },
};
