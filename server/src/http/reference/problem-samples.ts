import { resolutions } from '../../catalog/models.ts';
import type { ErrorCode, ErrorDetails } from '../../errors.ts';
import { validationError } from '../validation-errors.ts';

interface ProblemSample {
  /** The meaning of the code when it is left out. */
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

/** What an example shows beyond the shape of every answer. */
export const problemSamples: Partial<Record<ErrorCode, ProblemSample>> = {
  insufficient_funds: { more: { available: '0.08', required: '0.15' } },
  method_not_allowed: { headers: ['Allow: GET'] },
  invalid_request: { detail: notValid, more: wrongFields },
  inputs_unusable: {
    detail: notFetched,
    more: {
      errors: [{ pointer: '/input_images_urls/1', detail: notFetched, code: 'input_unfetchable' }],
    },
  },
  idempotency_key_in_use: { headers: soon },
  too_many_requests: { headers: [...soon, 'RateLimit-Policy: "key";q=20;w=2', 'RateLimit: "key";r=0;t=1'] },
  project_paused: { headers: minutes },
  model_paused: { headers: minutes },
  database_unavailable: { headers: soon },
  overloaded: { headers: soon },
  shutting_down: { headers: soon },
};
