import type { Static } from 'typebox';
import type { DeliveryQuery } from '../../api/nouns/webhooks/delivery-calls.ts';
import type {
  attemptSchema,
  bucketCredentials,
  deliveryDetailSchema,
  deliverySchema,
  endpointSchema,
  secretSchema,
} from '../../api/nouns/webhooks/webhook-schemas.ts';
import type { Page } from '../../http/cursor.ts';
import type { EventType } from '../../webhooks/event-types.ts';

/** The endpoints of an account and their deliveries. */
export interface WebhookCalls {
  /** The default one first, and the end of the account's own secret, which signs for it and for `callback_url`s. */
  'GET /panel/accounts/:account_id/endpoints': {
    answer: { data: EndpointRow[]; max_endpoints: number; account_secret_hint: string };
  };
  /** The first one of an account becomes its default one. */
  'POST /panel/accounts/:account_id/endpoints': {
    body: { url: string; events: EventType[] | null; credentials?: BucketCredentials };
    answer: EndpointRow;
  };
  'GET /panel/accounts/:account_id/endpoints/:endpoint_id': { answer: EndpointDetail };
  /** Changes what is given. */
  'POST /panel/accounts/:account_id/endpoints/:endpoint_id': {
    body: {
      url?: string;
      events?: EventType[] | null;
      enabled?: boolean;
      credentials?: BucketCredentials;
    };
    answer: EndpointRow;
  };
  'POST /panel/accounts/:account_id/endpoints/:endpoint_id/remove': { answer: null };
  /** Sends an example event now and returns the result. */
  'POST /panel/accounts/:account_id/endpoints/:endpoint_id/test': { answer: DeliveryAttemptRow };
  /** The signing secret(s) of an endpoint in full, or the account's own without one. */
  'POST /panel/accounts/:account_id/signing-secret/reveal': {
    body: { endpoint_id: string | null };
    answer: { secrets: WebhookSecret[] };
  };
  /**
   * Makes a new secret. Deliveries carry both signatures for a day, or only the new one if the old one
   * leaked.
   */
  'POST /panel/accounts/:account_id/signing-secret/rotate': {
    body: { endpoint_id: string | null; leaked: boolean };
    answer: { secrets: WebhookSecret[] };
  };
  /** `limit` 1 to 100, 50 by default. */
  'GET /panel/accounts/:account_id/deliveries': {
    query: Omit<DeliveryQuery, 'limit'> & { limit?: string };
    answer: Page<DeliveryRow>;
  };
  'GET /panel/accounts/:account_id/deliveries/:delivery_id': { answer: DeliveryDetail };
  /** Sends its event again, under the same `webhook-id`; answers the new delivery. */
  'POST /panel/accounts/:account_id/deliveries/:delivery_id/replay': { answer: DeliveryRow };
  /** Makes the next attempt of waiting deliveries now: of all, of those to an endpoint, or of one. */
  'POST /panel/accounts/:account_id/deliveries/retry': {
    body: { delivery_id: string | null; endpoint_id: string | null };
    answer: { retried: number };
  };
  /** How many events `replay-failed` would send, up to 10,000. */
  'GET /panel/accounts/:account_id/deliveries/failed': {
    query: { since: string; endpoint_id?: string };
    answer: { count: number };
  };
  /** Sends events again that were tried and not delivered since then. */
  'POST /panel/accounts/:account_id/deliveries/replay-failed': {
    body: { since: string; endpoint_id: string | null };
    answer: { replayed: number };
  };
}

/** Of a bucket; never answered. */
export type BucketCredentials = Static<typeof bucketCredentials>;
export type EndpointRow = Static<typeof endpointSchema>;
export type EndpointDetail = EndpointRow & { hours: EndpointHour[] };
/** How the attempts of an hour ended that the receiver was the cause of. */
export interface EndpointHour {
  /** When the hour began. */
  hour: string;
  attempts: number;
  failed: number;
  /** Half of the attempts that were taken took less; null without any. */
  p50_ms: number | null;
}
export type WebhookSecret = Static<typeof secretSchema>;
export type DeliveryRow = Static<typeof deliverySchema>;
export type DeliveryDetail = Static<typeof deliveryDetailSchema>;
export type DeliveryAttemptRow = Static<typeof attemptSchema>;
