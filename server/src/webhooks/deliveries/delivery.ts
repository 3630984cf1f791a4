/**
 * A delivery is one event on its way to one address. Its states, and who moves it between them (the database enforces it):
 *
 *   pending ──an attempt answered 2xx──────────▶ delivered
 *      │ └────the last attempt failed──────────▶ failed
 *      └──────endpoint removed, replaced, disabled ▶ cancelled
 */
export const deliveryStatuses = ['pending', 'delivered', 'failed', 'cancelled'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Why an attempt failed. */
export const attemptFailures = [
  /** The name of the host could not be looked up. */
  'dns_failed',
  /** The address is not on the public internet, or is our own. */
  'blocked_address',
  'connect_refused',
  'tls_failed',
  /** The connection broke before the answer was complete. */
  'connection_lost',
  /** Not answered completely in time. */
  'timed_out',
  /** 3xx: redirects are not followed. */
  'redirected',
  /** 410: the endpoint wants nothing more. */
  'gone',
  /** Any other status than 2xx. */
  'status',
  /** The headers of the answer are too large. */
  'response_too_large',
  /** What came is not HTTP. */
  'invalid_response',
  /** No secret to sign with can be opened; nothing was sent. */
  'secret_unreadable',
  /** Our process stopped in the middle; the event may have arrived. */
  'interrupted',
] as const;
export type DeliveryFailure = (typeof attemptFailures)[number];

/** Why a delivery was cancelled. */
export type CancelReason = 'endpoint_removed' | 'endpoint_replaced' | 'endpoint_disabled';

/** What came of one attempt. */
export interface AttemptResult {
  /** Of the answer; null when none came. */
  status: number | null;
  /** Null for a success. */
  failure: DeliveryFailure | null;
  durationMs: number;
  /** The start of the answer, as text. */
  answer: string | null;
  /** What the receiver asked for; null when it asked for nothing that can be understood. */
  retryAfterMs: number | null;
}

/** A delivery under our lease. */
export interface LeasedDelivery {
  id: number;
  accountId: string;
  /** Null when the request brought its own `callback_url`. */
  endpointId: string | null;
  url: string;
  lane: string;
  /** Counts from 1; also the fence of the lease. */
  attempt: number;
  event: DeliveredEvent;
}

export interface DeliveredEvent {
  id: string;
  type: string;
  jobId: string;
  createdAt: number;
  /** Which request made the job, and with which key; null once the job is gone, or where nobody noted it. */
  requestId: string | null;
  keyId: string | null;
}

/** What shares a limit of concurrency: an account and the host of a URL that was checked before. */
export function laneOf(accountId: string, url: string): string {
  return `${accountId} ${new URL(url).hostname}`;
}

export function partsOfLane(lane: string): { accountId: string; host: string } {
  const [accountId = '', host = ''] = lane.split(' ');
  return { accountId, host };
}
