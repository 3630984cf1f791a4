import type { Batch, Job } from './types.ts';

/** The body of a verified webhook. */
export interface WebhookEvent {
  type: 'job.done' | 'job.failed';
  /** When the job ended. */
  timestamp: string;
  data: Job;
}

/** Events other than the end of a job, for endpoints that subscribe to their types. */
export type OtherEvent =
  | { type: 'batch.completed'; timestamp: string; data: Batch }
  | { type: 'balance.low'; timestamp: string; data: LowBalance }
  | { type: 'spend_limit.near'; timestamp: string; data: NearLimit }
  | { type: 'spend_limit.reached'; timestamp: string; data: SpentLimit }
  | { type: 'key.expiring'; timestamp: string; data: ExpiringKey }
  | { type: 'payment.received'; timestamp: string; data: ReceivedPayment }
  | { type: 'top_up.stopped'; timestamp: string; data: StoppedTopUp }
  | { type: 'policy.strike'; timestamp: string; data: PolicyStrike };

/** The balance fell below the threshold of the account. */
export interface LowBalance {
  account_id: string;
  account_name: string;
  threshold: string;
  /** The balance after the change. */
  balance: string;
}

/** A spend limit stopped a job. Reported once per hour, day or month of the limit. */
export interface SpentLimit {
  account_id: string;
  account_name: string;
  of: 'account' | 'key';
  /** `null` if it is the account's limit. */
  key_id: string | null;
  limit: string;
  used: string;
  most: string;
  /** `null` if the limit never resets. */
  resets_at: string | null;
}

/** A spend limit has reached the share that the account set for alerts. */
export interface NearLimit extends SpentLimit {
  percent: number;
}

/** A key expires within a week; reported once. */
export interface ExpiringKey {
  account_id: string;
  account_name: string;
  key_id: string;
  name: string;
  /** The first and last characters of the key. */
  hint: string;
  expires_at: string;
  last_used_at: string | null;
  /** The number of the account's other expiring keys, which the same email names. */
  other_keys: number;
  /** The names of up to five of these keys. */
  other_names: string[];
}

/** A payment was credited. */
export interface ReceivedPayment {
  account_id: string;
  account_name: string;
  payment_id: string;
  amount: string;
  /** The provider's id of the payment. */
  reference: string;
  /** The part of the amount that paid a debt. */
  debt_paid: string;
  /** The balance after the change. */
  balance: string;
  /** The provider's receipt or invoice; `null` if unknown. Events of older servers lack it. */
  receipt_url?: string | null;
}

/** The account's card is no longer charged automatically, until an owner turns automatic payments on again. */
export interface StoppedTopUp {
  account_id: string;
  account_name: string;
  reason: 'declined' | 'authentication_required' | 'card_removed' | 'disputed';
  /** The card, such as `visa 4242`; `null` if there is none. */
  card: string | null;
}

/** The policy of the installation refused many requests of the account. */
export interface PolicyStrike {
  account_id: string;
  account_name: string;
  refusals: number;
  within_seconds: number;
  /** `null` if the account is not paused. `until` is null if only an operator can resume it. */
  paused: { until: string | null } | null;
}

/** The request is not a fresh one from Darkroom. Answer it with 400 and do nothing else. */
export class WebhookRejected extends Error {
  override name = 'WebhookRejected';
}

/** The headers as `Request.headers`, or as Node's `request.headers`. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

export interface VerifyOptions {
  /** How far the clocks of sender and receiver may differ; 5 minutes by default. */
  toleranceMs?: number;
}

const fiveMinutesMs = 5 * 60 * 1000;

/**
 * Verifies a webhook (Standard Webhooks 1.0) and returns its event. `body` is the body exactly as it arrived, before
 * any parsing; `secret` is the account's `whsec_…`, or several during a rotation. For an endpoint that also gets
 * events that are not about jobs, use `verifyWebhook<WebhookEvent | OtherEvent>`.
 *
 * @throws WebhookRejected if it does not verify; TypeError for an invalid secret
 */
export async function verifyWebhook<Event = WebhookEvent>(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceMs = fiveMinutesMs }: VerifyOptions = {},
): Promise<Event> {
  const keys = await Promise.all((typeof secret === 'string' ? [secret] : secret).map(importKey));
  const id = read(headers, 'webhook-id');
  const timestamp = read(headers, 'webhook-timestamp');
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookRejected('webhook-timestamp is not a time.');
  if (Math.abs(Date.now() - Number(timestamp) * 1000) > toleranceMs) {
    throw new WebhookRejected('webhook-timestamp is too far from the time of this machine.');
  }
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const signatures = readSignatures(read(headers, 'webhook-signature'));
  for (const key of keys) {
    for (const signature of signatures) {
      // Compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return JSON.parse(text);
    }
  }
  throw new WebhookRejected('No signature matches.');
}

// The type is derived from the function, because its name differs between runtimes.
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

function importKey(secret: string): Promise<Key> {
  const bytes = decodeBase64(secret.replace(/^whsec_/, ''));
  if (bytes === undefined || bytes.length === 0)
    throw new TypeError('secret must be a signing secret such as whsec_…');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function read(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookRejected(`The header ${name} is missing.`);
}

// A sender that rotates secrets sends a few signatures; thousands are an attack.
const maxSignatures = 10;

function readSignatures(header: string): Uint8Array<ArrayBuffer>[] {
  return header
    .split(' ')
    .slice(0, maxSignatures)
    .flatMap((part) => (part.startsWith('v1,') ? (decodeBase64(part.slice(3)) ?? []) : []));
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
