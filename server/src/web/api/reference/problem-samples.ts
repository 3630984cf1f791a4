import { notJson } from '../../../base/http/json-body.ts';
import { validationError } from '../../../base/http/validation-errors.ts';
import type { ErrorCode, ErrorDetails } from '../../../errors.ts';
import type { ReachedLimit } from '../../../money/limits/count-uses.ts';
import { type JobMeter, toldNothing } from '../../../money/limits/limit.ts';
import { limitError } from '../../../money/limits/limit-error.ts';
import { resolutions } from '../../../upstream/catalog/models.ts';

interface ProblemSample {
  /** The error's detail, by default the meaning of the code. */
  detail?: string;
  headers?: string[];
  more?: Omit<ErrorDetails, 'retryAfterSeconds'>;
}

const soon = ['Retry-After: 1'];
const minutes = ['Retry-After: 120'];

const day = Date.UTC(2026, 2, 1);

const notFetched =
  'The server answered with status 404 instead of 200. Check that the URL works without signing in.';

const { message: notValid, details: wrongFields } = validationError(
  [
    { keyword: 'required', instancePath: '', schemaPath: '', params: { missingProperty: 'aspect_ratio' } },
    { keyword: 'enum', instancePath: '/resolution', schemaPath: '', params: { allowedValues: resolutions } },
  ],
  'body',
);

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
  spend_limit_reached: reached('key', 'day', { most: 5_000_000n, used: 4_920_000n }),
  open_jobs_limit_reached: reached('account', 'open', { most: 20n, used: 20n }),
  input_limit_reached: reached('key', 'input', { most: 500_000_000n, used: 499_120_004n }),
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

/** The error for a limit that a job at a price of 0.15 would exceed, one and a half hours before midnight. */
function reached(
  kind: 'account' | 'key',
  meter: JobMeter,
  amounts: Pick<ReachedLimit, 'most' | 'used'>,
): ProblemSample {
  const subject = { kind, id: '' };
  const limit = { subject, meter, ...amounts, isDefault: false, startsAt: day, told: toldNothing };
  const asked = { jobs: 1, priceMicros: 150_000n, nowMs: day + 22.5 * 3_600_000 };
  const { message: detail, details } = limitError(limit, asked);
  const { retryAfterSeconds, ...more } = details;
  return { detail, more, ...(retryAfterSeconds && { headers: [`Retry-After: ${retryAfterSeconds}`] }) };
}
