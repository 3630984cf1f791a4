export type * from './admin/account-types.ts';
export { DarkroomAdmin, type DarkroomAdminOptions } from './admin/admin.ts';
export type * from './admin/types.ts';
export type { BatchCreateOptions, Batches, BatchWaitOptions } from './batches.ts';
export { Darkroom, type DarkroomOptions, type GenerateOptions } from './darkroom.ts';
export { BatchWaitTimedOut, DarkroomError, JobFailed, NetworkError, WaitTimedOut } from './errors.ts';
export { newIdempotencyKey } from './idempotency-key.ts';
export type { InputImage } from './local-image.ts';
export type { Paged } from './pages.ts';
export type { Retry } from './retry.ts';
export * from './types.ts';
export {
  type LowBalance,
  type NearLimit,
  type OtherEvent,
  type PolicyStrike,
  type StoppedTopUp,
  type VerifyOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  WebhookRejected,
} from './verify-webhook.ts';
export type { WaitOptions } from './wait-for-job.ts';
