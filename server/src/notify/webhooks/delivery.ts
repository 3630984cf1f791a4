import type { EventSubject } from './event-subject.ts';

/**
 * A delivery is one event on its way to one address. These are its states, and what moves it between them
 * (the database enforces this):
 *
 *   pending ──an attempt answered 2xx──────────▶ delivered
 *      │ └────the last attempt failed──────────▶ failed
 *      └──────endpoint removed, replaced, disabled; email unwanted ▶ cancelled
 */
export const deliveryStatuses = ['pending', 'delivered', 'failed', 'cancelled'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export const attemptFailures = [
  'dns_failed',
  /** The address is private, or our own. */
  'blocked_address',
  'connect_refused',
  'tls_failed',
  /** The connection broke before the end of the response. */
  'connection_lost',
  'timed_out',
  /** 3xx: redirects are not followed. */
  'redirected',
  'gone',
  /** Any other status except 2xx. */
  'status',
  'response_too_large',
  'invalid_response',
  /** The mail server refuses this email permanently. */
  'mail_refused',
  /** No mail server is configured. */
  'mail_unset',
  /** The bucket's server refused the request: the credentials, bucket or region may be wrong. */
  'bucket_refused',
  /** The image was deleted before it could be copied. */
  'image_gone',
  /** The image could not be read from our own store. */
  'image_unreadable',
  /** No signing secret can be decrypted; nothing was sent. */
  'secret_unreadable',
  /** Our process stopped during the attempt; the event may have arrived. */
  'interrupted',
] as const;
export type DeliveryFailure = (typeof attemptFailures)[number];

/** Failures that say nothing about the receiver. */
export const ownFailures: readonly (DeliveryFailure | null)[] = [
  'interrupted',
  'image_gone',
  'image_unreadable',
];

export const finalFailures: readonly DeliveryFailure[] = ['gone', 'mail_refused', 'image_gone'];

/** Why a delivery was cancelled. */
export type CancelReason =
  | 'endpoint_removed'
  /** The endpoint has another address now. */
  | 'endpoint_replaced'
  | 'endpoint_disabled'
  /** The person has left the account, lost the role, changed the address or turned off such emails. */
  | 'email_unwanted';

export interface AttemptResult {
  status: number | null;
  failure: DeliveryFailure | null;
  durationMs: number;
  /** The start of the response, as text. */
  answer: string | null;
  /** Null if `Retry-After` is absent or invalid. */
  retryAfterMs: number | null;
}

export interface LeasedDelivery {
  id: number;
  accountId: string;
  /** Null if the request had its own `callback_url`. */
  endpointId: string | null;
  /** The owner of the secrets that sign the delivery: an endpoint, or the account. */
  secretOwner: string;
  url: string;
  lane: string;
  /** Counts from 1. It also identifies the lease: a worker with an older number cannot change the delivery. */
  attempt: number;
  event: DeliveredEvent;
}

export interface DeliveredEvent extends EventSubject {
  id: string;
  type: string;
  createdAt: number;
  /** The request that created the job, and its key; null if unknown, or once the job is removed. */
  requestId: string | null;
  keyId: string | null;
}

/** Deliveries of one lane share a concurrency limit. */
export function laneOf(accountId: string, url: string): string {
  return `${accountId} ${new URL(url).hostname}`;
}

/** Whether the lane has emails only: their addresses are `mailto:`, which has no host. */
export function isLaneOfEmails(lane: string): boolean {
  return partsOfLane(lane).host === '';
}

export function partsOfLane(lane: string): { accountId: string; host: string } {
  const [accountId = '', host = ''] = lane.split(' ');
  return { accountId, host };
}
