import type { Static } from 'typebox';
import { presentRetention, retentionOf } from '../../../accounts/retention/retention.ts';
import { maxInputs } from '../../../images/inputs/limits.ts';
import { maxEndpoints } from '../../../notify/webhooks/endpoints/endpoint-store.ts';
import { maxPromptLength } from '../../../upstream/catalog/models.ts';
import type { balanceSchema } from '../balance-schema.ts';
import type { batchCreatedSchema, batchSchema } from '../nouns/batches/batch-schemas.ts';
import type { clientTokenSchema } from '../nouns/client-tokens/client-token-json.ts';
import type { attemptSchema, deliverySchema } from '../nouns/deliveries/delivery-json.ts';
import type { createdSchema, jobSchema } from '../nouns/jobs/job-schemas.ts';
import type { tagsSchema } from '../nouns/jobs/tag-calls.ts';
import type { entrySchema } from '../nouns/money/entry-calls.ts';
import type { statementSchema } from '../nouns/money/statement-calls.ts';
import type { usageSchema } from '../nouns/money/usage-calls.ts';
import type { paymentSchema } from '../nouns/payments/payment-json.ts';
import type { uploadSchema } from '../nouns/uploads/upload-calls.ts';
import type { eventSchema } from '../nouns/webhooks/event-calls.ts';
import type { endpointSchema } from '../nouns/webhooks/webhook-json.ts';
import type { Operation, Schema } from './document.ts';
import { refName } from './fields.ts';
import { originPlaceholder } from './origin.ts';

const jobId = '019a2f4c-6c1e-7b3a-9d52-3f8e1c7a4b60';
const jobPath = `/api/v1/jobs/${jobId}`;

const imageUrl = `${originPlaceholder}/images/${jobId}.png?expires=1793698206&key=5d0c2b9a&signature=pV0w3nQx7R2mYt1sKf8uHc4LbZ6eJd9aGo5iWq3rNvE`;

const job: Static<typeof jobSchema> = {
  job_id: jobId,
  status: 'done',
  created_at: '2026-11-02T09:30:00.120Z',
  started_at: '2026-11-02T09:30:00.180Z',
  finished_at: '2026-11-02T09:30:06.940Z',
  result: {
    image_url: imageUrl,
    width: 1376,
    height: 768,
    media_type: 'image/png',
    bytes: 1_482_311,
    thumbnail_url: `${imageUrl}&w=256`,
    thumbhash: 'k9cNFYIPd4iHeId4h4iHiHdwiPeJ',
  },
  error: null,
  model: 'pro',
  mode: 'text',
  aspect_ratio: '16:9',
  resolution: '1K',
  price: '0.08',
  error_code: null,
  prompt: 'a lighthouse at dusk',
  input_images_urls: [],
};

const uploadId = '019a2f4b-9d07-7c11-8e64-0b5a7d2f9c38';
const upload: Static<typeof uploadSchema> = {
  upload_id: uploadId,
  url: `${originPlaceholder}/images/upload-${uploadId}.jpg?expires=1793698800&key=5d0c2b9a&signature=Zk3tQ8vWn1xYr6mLs0uHc4PbJ7eFd9aGo5iXq2rNvKM`,
  width: 3072,
  height: 2304,
  bytes: 1_904_117,
  expires_at: '2026-11-03T10:00:00.000Z',
};

const cancelled: Static<typeof jobSchema> = {
  ...job,
  status: 'failed',
  started_at: null,
  finished_at: '2026-11-02T09:30:00.170Z',
  result: null,
  error: 'The job was cancelled before it began.',
  error_code: 'cancelled',
};

const event: Static<typeof eventSchema> = {
  id: `evt_${jobId.replaceAll('-', '')}`,
  type: 'job.done',
  timestamp: '2026-11-02T09:30:06.940Z',
  data: job,
};

const created: Static<typeof createdSchema> = { job_id: jobId, status: 'queued', status_url: jobPath };

const batchId = '019a2f4d-11c0-7e02-a5b7-60c4d2e8f913';
const madeBatch: Static<typeof batchCreatedSchema> = {
  batch_id: batchId,
  status: 'processing',
  status_url: `/api/v1/batches/${batchId}`,
  jobs: 1000,
  price: '39.00',
};
const batch: Static<typeof batchSchema> = {
  batch_id: batchId,
  name: 'Spring catalogue',
  status: 'processing',
  created_at: job.created_at,
  finished_at: null,
  jobs: 1000,
  counts: { queued: 700, processing: 8, done: 290, failed: 2 },
  price: '39.00',
  charged: '11.31',
};

const tags: Static<typeof tagsSchema> = { job_id: jobId, tags: ['spring'], starred: true };

const balance: Static<typeof balanceSchema> = { balance: '100.00', reserved: '0.16', available: '99.84' };

const attempt: Static<typeof attemptSchema> = {
  attempt: 1,
  at: event.timestamp,
  duration_ms: 38,
  status: 204,
  failure: null,
  answer: '',
};

const delivery: Static<typeof deliverySchema> = {
  delivery_id: 'dlv_5b0e2c9a71f84d36a2c85e1f90d47b63',
  event_id: event.id,
  type: event.type,
  job_id: jobId,
  endpoint_id: '019a2f4c-6c1e-7b3a-9d52-3f8e1c7a4b62',
  url: 'https://example.com/hook',
  status: 'delivered',
  attempts: 1,
  created_at: event.timestamp,
  next_attempt_at: null,
  last_status_code: 204,
  last_failure: null,
  history: [attempt],
};

const endpoint: Static<typeof endpointSchema> = {
  account_id: '019a2f4c-6c1e-7b3a-9d52-3f8e1c7a4b60',
  endpoint_id: delivery.endpoint_id ?? '',
  is_default: false,
  url: delivery.url,
  events: ['job.failed'],
  enabled: true,
  created_at: '2026-10-30T08:00:00.000Z',
  failing_since: null,
  disabled_at: null,
  disabled_reason: null,
  secret_hint: 'whsec_…k9Q=',
  health: { delivered: 311, failed: 0, pending: 1 },
};

const secrets = [{ secret: 'whsec_…', expires_at: null }];
const test = {
  ...attempt,
  url: endpoint.url,
  webhook_id: 'evt_test_019a2f4c6c1e7b3a9d523f8e1c7a4b64',
  ok: true,
};

const hour = { hour: '2026-11-02T09:00:00.000Z', attempts: 12, failed: 0, p50_ms: 38 };

const entry: Static<typeof entrySchema> = {
  entry_id: 'ent_c81f3a6d20e94b7585d1f7c2046ab93e',
  kind: 'capture',
  amount: job.price,
  balance_change: `-${job.price}`,
  reserved_change: `-${job.price}`,
  balance_after: '99.92',
  reserved_after: '0.16',
  job_id: jobId,
  reason: null,
  created_at: event.timestamp,
};

const ofDay = { cost: '0.08', jobs: 1, done: 1, failed: 0 };
const usage: Static<typeof usageSchema> = {
  from: '2026-11-02',
  to: '2026-11-02',
  group_by: 'model',
  by: 'model',
  timezone: 'UTC',
  series: [{ id: 'pro', name: 'Top tier', cost: ofDay.cost, jobs: ofDay.jobs }],
  days: [{ day: '2026-11-02', ...ofDay, values: [ofDay] }],
  total: ofDay,
};

const clientToken: Static<typeof clientTokenSchema> = {
  token_id: '019a2f4c-6c1e-7b3a-9d52-3f8e1c7a4b61',
  key_id: '019a2f4c-6c1e-7b3a-9d52-3f8e1c7a4b62',
  created_at: '2026-11-02T09:30:00.000Z',
  expires_at: '2026-11-02T09:40:00.000Z',
  models: ['nb2'],
  spend_cap: '0.50',
  origin: 'https://app.example.com',
};

const model = {
  id: 'nb',
  name: 'Fast',
  description: 'The quickest and cheapest: drafts, ideas and many variants, at 1K.',
  action: 'generate',
  modes: ['text', 'url'],
  aspect_ratios: ['1:1', '16:9'],
  resolutions: [{ resolution: '1K', price: '0.02', sizes: { '1:1': { width: 1024, height: 1024 } } }],
  selectable: false,
  max_input_images: maxInputs,
  max_prompt_length: maxPromptLength,
  parameters: {},
  formats: ['png', 'jpeg', 'webp'],
  backgrounds: ['auto', 'opaque'],
  masks: false,
  paused: false,
  pause_reason: null,
  paused_until: null,
};

const payment: Static<typeof paymentSchema> = {
  payment_id: '019a2f49-51aa-7d02-b1c4-7e9f3a6d8c25',
  status: 'paid',
  amount: '25.00',
  provider: 'stripe',
  reference: 'pi_3SQk2eLkdIwHu7ix0Yw8Zn4T',
  reversed: '5.00',
  reversals: [{ kind: 'refund', reference: 're_3SQk2eLkdIwHu7ix0bN1xQ7d', status: 'taken' }],
  created_at: '2026-11-02T09:12:00.000Z',
  paid_at: '2026-11-02T09:13:41.000Z',
};

export const replySamples: Record<string, unknown> = {
  'GET /uploads': { data: [upload], next_cursor: null },
  'GET /client-tokens': { data: [clientToken], next_cursor: null },
  'GET /jobs': { data: [job], next_cursor: null },
  'POST /jobs/{job_id}/cancel': cancelled,
  'GET /events': {
    data: [event],
    next_cursor: 'kq3VwZ0dT1u6m2bXcYl8Rj4sPnHhE7aOiQvFgUyBt5w',
    has_more: false,
  },
  'GET /deliveries': { data: [delivery], next_cursor: null },
  'GET /deliveries/replay': { count: 3 },
  'POST /deliveries/replay': { replayed: 3 },
  'GET /webhooks': { data: [endpoint], max_endpoints: maxEndpoints },
  'POST /webhooks': { ...endpoint, secret: 'whsec_…' },
  'PUT /webhooks/{endpoint_id}': { ...endpoint, cancelled_deliveries: 0 },
  'PATCH /webhooks/{endpoint_id}': { ...endpoint, cancelled_deliveries: 0 },
  'POST /webhooks/{endpoint_id}/rotate': {
    ...{ account_id: endpoint.account_id, endpoint_id: endpoint.endpoint_id },
    secrets,
  },
  'POST /webhooks/{endpoint_id}/test': test,
  'GET /jobs.csv': 'job_id,status,model,…',
  'GET /entries.csv': 'entry_id,created_at,kind,…',
  'GET /usage.csv': 'day_utc,model,name,cost,…',
  'GET /statements/{month}/csv': 'account,month,…',
  'GET /jobs/{job_id}/image': 'PNG…',
  'GET /jobs/images.zip': 'PK…',
  'GET /batches': { data: [batch], next_cursor: null },
  'GET /batches/{batch_id}/results': '{"index": 0, "job": {…}}',
  'GET /batches/{batch_id}/images.zip': 'PK…',
  'GET /tags': { data: [{ tag: 'spring', jobs: 12 }] },
  'GET /entries': { data: [entry], next_cursor: null },
  'GET /statements': { data: ['2026-11', '2026-10'] },
  'GET /payments': {
    ...{ data: [payment], next_cursor: null, enabled: true },
    ...{ amounts: ['10.00', '25.00', '50.00', '100.00'], least: '5.00', most: '1000.00' },
  },
  'POST /payments': {
    payment_id: payment.payment_id,
    url: 'https://checkout.stripe.com/c/pay/cs_live_a1B2c3',
  },
  'GET /payments/{payment_id}': payment,
  'POST /vouchers/redeem': { amount: '5.00', balance: balance.balance },
  'GET /models': {
    currency: 'USD',
    retention: presentRetention(retentionOf({})),
    data: [model],
  },
  'GET /models/{model_id}': model,
};

const statement: Static<typeof statementSchema> = {
  account_id: '019a2f4c-6c1e-7b3a-9d52-3f8e1c7a4b60',
  account: 'shop',
  month: '2026-10',
  from: '2026-10-01T00:00:00.000Z',
  to: '2026-11-01T00:00:00.000Z',
  currency: 'USD',
  closed: true,
  opening_balance: '0.00',
  lines: [
    { kind: 'credit', model: null, entries: 1, amount: '10.00' },
    { kind: 'capture', model: 'nb', entries: 12, amount: '-0.24' },
  ],
  closing_balance: '9.76',
  digest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};

export const schemaSamples: Record<string, unknown> = {
  Batch: batch,
  BatchCreated: madeBatch,
  Upload: upload,
  JobTags: tags,
  Job: job,
  JobCreated: created,
  Balance: balance,
  ClientToken: clientToken,
  ClientTokenCreated: { ...clientToken, token: 'dkc_…' },
  Event: event,
  Delivery: delivery,
  DeliveryAttempt: attempt,
  DeliveryDetail: { ...delivery, body: JSON.stringify(event) },
  Endpoint: endpoint,
  EndpointDetail: { ...endpoint, hours: [hour] },
  Entry: entry,
  Statement: statement,
  Usage: usage,
};

export function sampleReply({ method, path, replies }: Operation): unknown {
  // Takes the last successful reply. A call that creates a job has a quote as another reply, but usually answers with
  // the job.
  const schema = replies.findLast(({ status }) => status < 400)?.schema;
  return replySamples[`${method} ${path}`] ?? schemaSamples[(schema && refName(schema)) ?? ''];
}

export function sampleBody(schema: Schema): Record<string, unknown> {
  const wanted = Object.entries(schema.properties ?? {}).filter(
    ([name, field]) => schema.required?.includes(name) || field.default !== undefined,
  );
  return Object.fromEntries(wanted.map(([name, field]) => [name, sampleValue(field)]));
}

function sampleValue(schema: Schema): unknown {
  const given = schema.examples?.[0] ?? schema.default ?? schema.enum?.[0];
  if (given !== undefined) return given;
  if (schema.items) return [sampleValue(schema.items)];
  return schema.pattern?.startsWith('^https?')
    ? 'https://example.com/cat.jpg'
    : `a ${[schema.type].flat()[0]}`;
}
