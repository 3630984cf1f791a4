import type { ErrorCode, ErrorDetails } from '../../errors.ts';

interface ProblemSample {
  detail: string;
  headers?: string[];
  more?: Omit<ErrorDetails, 'retryAfterSeconds'>;
}

const bearer = ['WWW-Authenticate: Bearer'];
const soon = ['Retry-After: 1'];
const minutes = ['Retry-After: 120'];

/** What an example says beyond the shape of every answer; a code that is not here says its meaning. */
export const problemSamples: Partial<Record<ErrorCode, ProblemSample>> = {
  key_missing: {
    detail: 'Send your API key in one header: "Authorization: Bearer <API_KEY>".',
    headers: bearer,
  },
  key_invalid: {
    detail: 'This API key is unknown, disabled or expired. Create a new one and use it instead.',
    headers: bearer,
  },
  model_forbidden: { detail: 'This key may not use the model pro.' },
  insufficient_funds: {
    detail: 'This job costs 0.15 and 0.08 is available. Add credit and send it again.',
    more: { available: '0.08', required: '0.15' },
  },
  not_found: { detail: 'There is no such job.' },
  method_not_allowed: { detail: 'This address takes GET.', headers: ['Allow: GET'] },
  unsupported_media_type: {
    detail: 'The body must be JSON: send "Content-Type: application/json" without compression.',
  },
  body_too_large: { detail: 'The body may have at most 256 KiB.' },
  headers_too_large: { detail: 'The headers may have at most 16 KiB.' },
  request_timeout: { detail: 'The request did not arrive in time.' },
  malformed_request: { detail: 'What arrived is not valid HTTP.' },
  invalid_request: {
    detail: '2 parts of the body are not valid; "errors" names each.',
    more: {
      errors: [
        { pointer: '/aspect_ratio', detail: 'is required.' },
        { pointer: '/resolution', detail: 'must be one of 1K, 2K, 4K.' },
      ],
    },
  },
  inputs_unusable: {
    detail: 'One input image cannot be used; "errors" says why.',
    more: {
      errors: [
        {
          pointer: '/input_images_urls/1',
          detail: 'The server answered 404 instead of an image.',
          code: 'input_unfetchable',
        },
      ],
    },
  },
  idempotency_key_reused: {
    detail: 'This Idempotency-Key was used for another request. Use a new key for a new request.',
  },
  idempotency_key_in_use: {
    detail: 'The first request with this Idempotency-Key is still under way. Send it again shortly.',
    headers: soon,
  },
  job_not_cancellable: { detail: 'Only a queued job can be cancelled; this one is processing.' },
  link_invalid: { detail: 'This link is older than 24 hours. Get the job again for a fresh one.' },
  too_many_requests: {
    detail: 'This key may send 10 requests a second. Wait and send the request again.',
    headers: [...soon, 'RateLimit-Policy: "key";q=20;w=2', 'RateLimit: "key";r=0;t=1'],
  },
  storage_unavailable: {
    detail: 'The input images could not be stored. Nothing was charged; send the request again.',
  },
  project_paused: {
    detail: 'This service is paused: maintenance. Send the request again later.',
    headers: minutes,
  },
  model_paused: { detail: 'The model nb2 is paused. Send the request again later.', headers: minutes },
  database_unavailable: {
    detail: 'The database does not answer at the moment. Send the request again shortly.',
    headers: ['Retry-After: 2'],
  },
  shutting_down: { detail: 'This process is about to stop. Send the request again.' },
  internal: {
    detail:
      'Something went wrong here. Send the request again; if it stays, tell the operator the request id.',
  },
};
