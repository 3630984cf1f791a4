import type { ErrorCode } from '../../errors.ts';

/** The HTTP form of an error code. The pages under `/docs/errors` are generated from this table. */
export interface Problem {
  status: number;
  title: string;
  meaning: string;
  remedy: string;
}

export const problems: Record<ErrorCode, Problem> = {
  key_missing: {
    status: 401,
    title: 'API key missing',
    meaning: 'The request has no `Authorization: Bearer <API_KEY>` header, or more than one.',
    remedy: 'Send exactly one such header. A key in the URL is never read.',
  },
  key_invalid: {
    status: 401,
    title: 'API key not valid',
    meaning: 'The key is malformed, unknown, disabled or expired. All four look the same from outside.',
    remedy: 'Check that the key was copied completely; otherwise create a new one.',
  },
  address_refused: {
    status: 403,
    title: 'Not from this address',
    meaning: 'The key is limited to networks, and the request came from an address outside them.',
    remedy:
      'Send it from one of those networks, or use a key without that limit. Behind a proxy, the operator sets `DARKROOM_TRUSTED_PROXIES`.',
  },
  model_forbidden: {
    status: 403,
    title: 'Model not allowed for this key',
    meaning: 'The key may not use the model of this endpoint.',
    remedy: 'Use a key that is allowed to use the model.',
  },
  insufficient_funds: {
    status: 402,
    title: 'Insufficient funds',
    meaning:
      "The available balance (balance minus reserved) does not cover the price, or an operator's debit. `available` and `required` are the amounts.",
    remedy:
      'Add credit, or wait until running jobs finish, then send the request again; the same Idempotency-Key may be used.',
  },
  spend_limit_reached: {
    status: 402,
    title: 'Spend limit reached',
    meaning:
      'A spend limit of this account, key or client token (per hour, day or month, or in total) leaves too little for the price. `limit` names the limit; `available` and `required` are the amounts.',
    remedy:
      'Wait until `limit.resets_at`, or raise the limit; replace a client token with a new one. A job that fails no longer counts against the limit.',
  },
  open_jobs_limit_reached: {
    status: 429,
    title: 'Too many unfinished jobs',
    meaning:
      'The account or key has as many waiting or running jobs as its limit allows. `limit` names the limit.',
    remedy:
      'Wait until some have ended or begun, then send the request again; the same Idempotency-Key may be used.',
  },
  input_limit_reached: {
    status: 429,
    title: 'Input limit reached',
    meaning:
      'The account or key has reached its limit on bytes of input images per day (UTC). Uploads count, and so do images fetched for accepted jobs; an image that is already stored does not count again. `limit` names the limit.',
    remedy: 'Wait until `limit.resets_at`, use smaller images, or raise the limit.',
  },
  token_forbidden: {
    status: 403,
    title: 'Not with a client token',
    meaning:
      'A client token creates jobs, reads the jobs that it created and uploads images. Everything else needs an API key.',
    remedy: 'Make the call on your server, with the API key.',
  },
  key_forbidden: {
    status: 403,
    title: 'Not with an API key',
    meaning:
      'The call changes who may use the account, such as its keys. It needs a person who is signed in to the panel, or an admin key.',
    remedy: 'Sign in to the panel, or make the call below `/admin/v1` with an admin key.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    meaning: 'There is no such job, path or image, or it belongs to another account.',
    remedy: 'Check the URL. Jobs and their images are removed when their retention ends.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The path exists, but not with this method. The `Allow` header lists its methods.',
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    meaning:
      'The body is not declared as `application/json` in UTF-8, or for an upload as an image, or it is compressed.',
    remedy: 'Send plain JSON with `Content-Type: application/json`, and images with their own type.',
  },
  body_too_large: {
    status: 413,
    title: 'Body too large',
    meaning: 'The body is larger than the call accepts: 256 KiB for most calls. `detail` names the limit.',
    remedy: 'Shorten the prompt. Send images as URLs, and upload local ones.',
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    meaning: 'The headers of the request are larger than 16 KiB.',
    remedy: 'Send fewer or shorter headers.',
  },
  request_timeout: {
    status: 408,
    title: 'Request timed out',
    meaning:
      'The request did not arrive in time: headers within 15 seconds, the body within 30. An upload may take 15 minutes if it never becomes slower than 8 KB per second.',
    remedy: 'Send it again over a faster connection; the same Idempotency-Key may be used.',
  },
  malformed_request: {
    status: 400,
    title: 'Malformed request',
    meaning: 'The request is not valid HTTP.',
    remedy: 'Check the client or the proxy in between.',
  },
  invalid_request: {
    status: 422,
    title: 'Invalid request',
    meaning:
      'The body, a parameter or a header breaks a rule. `errors` names each place with a JSON pointer.',
    remedy: 'Correct the fields in `errors`. Nothing was created or charged.',
  },
  prompt_refused: {
    status: 422,
    title: 'Refused by the policy of this service',
    meaning: 'The policy of this service refuses the prompt or an input image.',
    remedy: 'Change the prompt or the images.',
  },
  inputs_unusable: {
    status: 422,
    title: 'Input images cannot be used',
    meaning:
      'At least one input could not be fetched (`input_unfetchable`), may not be fetched (`input_blocked`), is too large (`input_too_large`), is not a JPEG, PNG, WebP or GIF (`input_not_an_image`), is a mask with another shape than its image (`mask_misshapen`) or without a transparent part to change (`mask_opaque`), or all together exceed 40 MB (`inputs_too_large`). `errors` lists every one.',
    remedy: 'Correct or replace the inputs in `errors`. Nothing was created or charged.',
  },
  upload_limit_reached: {
    status: 409,
    title: 'Upload limit reached',
    meaning: 'The account has reached its limit on the number or the bytes of stored uploads.',
    remedy: 'Delete uploads that are no longer needed, or wait: each is removed when it expires.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key used before',
    meaning: 'The Idempotency-Key belongs to an earlier request with another body or endpoint.',
    remedy: 'Use a fresh key for each new request; a UUID is a good choice.',
  },
  reference_reused: {
    status: 409,
    title: 'Reference used for another payment',
    meaning:
      'The account already has an entry with this reference, with another amount or in the other direction.',
    remedy: 'Check the entries of the account. A repeated payment must have the same amount.',
  },
  idempotency_key_in_use: {
    status: 409,
    title: 'First request still running',
    meaning:
      'A request with the same Idempotency-Key is still running, or its answer was lost when its process died.',
    remedy:
      'Send the same request again after `Retry-After`. Without that header, check whether the first request took effect.',
  },
  job_not_finished: {
    status: 409,
    title: 'Job not finished',
    meaning: "A job's image can be deleted only after the job has ended; this job is queued or processing.",
    remedy: 'Wait until the job is done or failed, or cancel it first.',
  },
  job_not_cancellable: {
    status: 409,
    title: 'Job cannot be cancelled',
    meaning: 'Only a job that has not ended can be cancelled; this job is done or failed.',
    remedy: 'There is nothing to do. A failed job is not charged.',
  },
  changed_meanwhile: {
    status: 409,
    title: 'Changed meanwhile',
    meaning: 'The data has been changed since you read it.',
    remedy: 'Read it again, and base your change on the new version.',
  },
  nothing_to_deliver: {
    status: 409,
    title: 'Nothing to deliver',
    meaning: 'The event is pending already, or the account has no endpoint for it.',
    remedy: 'Check the deliveries, or set a webhook first.',
  },
  link_invalid: {
    status: 403,
    title: 'Image link not valid',
    meaning: 'The link was changed or has expired.',
    remedy: 'Read the job again: every answer has a fresh link.',
  },
  range_not_satisfiable: {
    status: 416,
    title: 'Range not satisfiable',
    meaning:
      'The `Range` header asks for bytes that the image does not have. `Content-Range` says how many it has.',
    remedy: 'Ask for bytes below that number, or leave the header out.',
  },
  image_gone: {
    status: 410,
    title: 'Image gone',
    meaning: 'The image was deleted, or its retention has ended.',
    remedy: 'It cannot be restored. Create the job again.',
  },
  voucher_refused: {
    status: 409,
    title: 'Voucher refused',
    meaning:
      'The voucher exists but cannot be redeemed: it was redeemed already, was withdrawn, or has expired.',
    remedy: 'Ask the person who gave you the voucher for another one.',
  },
  payments_unavailable: {
    status: 503,
    title: 'Payments unavailable',
    meaning: 'The payment service does not answer, or refuses the request.',
    remedy: 'Nothing was charged. Try again later; if the error persists, tell the operator the request id.',
  },
  too_many_requests: {
    status: 429,
    title: 'Too many requests',
    meaning:
      'The key is over its rate limit, or the operator has limited requests with wrong keys and too many came from this address.',
    remedy: 'Wait for `Retry-After` seconds.',
  },
  session_missing: {
    status: 401,
    title: 'Not signed in',
    meaning:
      "The panel's API was called without a session, or the session has ended. The public API never accepts sessions.",
    remedy: 'Sign in.',
  },
  sign_in_refused: {
    status: 401,
    title: 'Sign-in refused',
    meaning: 'The email, password or code is wrong. An unknown email looks the same.',
    remedy: 'Check them, or ask an operator for a one-time link.',
  },
  captcha_refused: {
    status: 403,
    title: 'Check not passed',
    meaning:
      'The form needs a check that a person, not a program, is sending it. The check is missing, wrong or too old, or was used before.',
    remedy: 'Do the check again, then send the form.',
  },
  captcha_unavailable: {
    status: 503,
    title: 'Check unavailable',
    meaning:
      'The service that checks that a person, not a program, is sending the form does not answer, or refuses our keys.',
    remedy:
      'Nothing was sent. Try again in a few minutes; if the error persists, tell the operator the request id.',
  },
  authenticator_unreadable: {
    status: 409,
    title: 'Authenticator not readable',
    meaning:
      'The authenticator of this person was sealed with a secret that the installation no longer has, so its codes cannot be checked.',
    remedy:
      'If the secret is known, an operator lists it last in `DARKROOM_SECRET` and restarts. Otherwise ask for a one-time link, open it, remove the authenticator in the profile and set it up again.',
  },
  webhook_secret_unreadable: {
    status: 409,
    title: 'Webhook secret not readable',
    meaning:
      'The webhook secret of the account was sealed with a secret that the installation no longer has, so nothing can be signed with it.',
    remedy:
      'If the secret is known, an operator lists it last in `DARKROOM_SECRET` and restarts. Otherwise rotate the webhook secret and give the new one to the receiver.',
  },
  panel_link_invalid: {
    status: 403,
    title: 'One-time link not valid',
    meaning: 'The link was used before, has expired, or does not belong to this installation.',
    remedy:
      'Ask an operator for a new one; on the machine itself, `darkroom panel-link` in the folder of the server prints one.',
  },
  second_factor_required: {
    status: 403,
    title: 'Authenticator required',
    meaning:
      'The person signed in with a password alone, and the installation requires an authenticator as well (`DARKROOM_SECOND_FACTOR`).',
    remedy: 'Set up an authenticator in the profile; everything else is closed until then.',
  },
  role_forbidden: {
    status: 403,
    title: 'Not with this role',
    meaning:
      'The person is signed in, but their role in this account or in the installation does not allow the call.',
    remedy: 'Ask an owner of the account or an operator to change your role.',
  },
  operator_required: {
    status: 403,
    title: 'Only for operators',
    meaning: 'The call is for operators, and the signed-in person is not one.',
    remedy: 'Ask an operator.',
  },
  scope_required: {
    status: 403,
    title: 'Admin key lacks a scope',
    meaning: 'The admin key lacks the scope for this call; `scopes` names those that allow it.',
    remedy: 'Create an admin key with that scope, on the machine itself: `darkroom admin-key create`.',
  },
  origin_refused: {
    status: 403,
    title: 'Origin refused',
    meaning:
      'A panel call did not come from a page of the panel, or a client token was used on a page of another origin.',
    remedy:
      'Open the panel at its own address; programs use the public API with a key. Create client tokens for the origin of the page that uses them.',
  },
  account_disabled: {
    status: 403,
    title: 'Account disabled',
    meaning:
      'An operator has disabled the account. It can be read but not used; requests with its API keys are refused with `key_invalid`.',
    remedy: 'Ask the operator.',
  },
  storage_unavailable: {
    status: 502,
    title: 'Image storage unavailable',
    meaning:
      "The image storage failed: valid input images could not be stored, or a job's image could not be read.",
    remedy:
      'Send the request again; for a create, use the same Idempotency-Key. No job was created and nothing was charged.',
  },
  project_paused: {
    status: 503,
    title: 'Service paused',
    meaning:
      'The operator has paused the whole service, or this account. Existing jobs can be read, and repeats of earlier requests are answered.',
    remedy: 'Send the request again after `Retry-After`, with the same Idempotency-Key.',
  },
  model_paused: {
    status: 503,
    title: 'Model paused',
    meaning: 'The operator has paused this model. The other models work.',
    remedy:
      'Send the request again after `Retry-After`, with the same Idempotency-Key, or use another model.',
  },
  no_route: {
    status: 503,
    title: 'No route can make it',
    meaning:
      'No upstream model can make this combination of ratio, resolution, number of inputs and parameters, or the model has no upstream model at all.',
    remedy:
      'Choose another combination or another model, or tell the operator, who sees the gap with `darkroom routes`. Nothing was created or charged.',
  },
  database_unavailable: {
    status: 503,
    title: 'Database unavailable',
    meaning: 'The database does not answer at the moment.',
    remedy:
      'Send the request again after `Retry-After`. A create with the same Idempotency-Key never makes a second job.',
  },
  overloaded: {
    status: 503,
    title: 'Overloaded',
    meaning:
      'Too many creates are waiting or fetching input images, for the server or for the account; too many clients are connected; or the policy service does not answer. Existing jobs can still be read.',
    remedy: 'Send the request again after `Retry-After`, with the same Idempotency-Key.',
  },
  shutting_down: {
    status: 503,
    title: 'Shutting down',
    meaning: 'This process is about to stop.',
    remedy: 'Send the request again; another process answers.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    meaning: 'An unexpected error occurred. The operator finds it in the log by the `request_id`.',
    remedy:
      'Send the request again with the same Idempotency-Key; if the error persists, tell the operator the `request_id`.',
  },
};
