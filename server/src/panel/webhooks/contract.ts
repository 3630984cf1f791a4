import type { Static } from 'typebox';
import type { DeliveryQuery } from '../../api/nouns/webhooks/delivery-calls.ts';
import type {
  attemptSchema,
  bucketCredentials,
  deliveryDetailSchema,
  deliverySchema,
  EndpointJson,
  endpointDetailSchema,
  secretSchema,
} from '../../api/nouns/webhooks/webhook-json.ts';
import type { Page } from '../../http/cursor.ts';

/** The deliveries of an account. */
export interface WebhookCalls {
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
export type EndpointRow = EndpointJson;
export type EndpointDetail = Static<typeof endpointDetailSchema>;
export type EndpointHour = EndpointDetail['hours'][number];
export type WebhookSecret = Static<typeof secretSchema>;
export type DeliveryRow = Static<typeof deliverySchema>;
export type DeliveryDetail = Static<typeof deliveryDetailSchema>;
export type DeliveryAttemptRow = Static<typeof attemptSchema>;
