import type { Static } from 'typebox';
import type { DeliveryQuery } from '../../api/delivery-calls.ts';
import type {
  attemptSchema,
  deliveryDetailSchema,
  deliverySchema,
  secretSchema,
  webhookSchema,
} from '../../api/webhook-schemas.ts';
import type { Page } from '../../http/cursor.ts';

/** The webhook of an account and its deliveries. */
export interface WebhookCalls {
  'GET /panel/accounts/:account_id/webhook': { answer: WebhookDetail };
  /**
   * Sets or replaces the account's endpoint; `null` removes it. Setting the same URL again enables an
   * endpoint that was disabled.
   */
  'POST /panel/accounts/:account_id/webhook': { body: { url: string | null }; answer: WebhookDetail };
  /** The signing secret(s) in full. */
  'POST /panel/accounts/:account_id/webhook/reveal': { answer: { secrets: WebhookSecret[] } };
  /**
   * Makes a new secret. Deliveries carry both signatures for a day, or only the new one if the old one
   * leaked.
   */
  'POST /panel/accounts/:account_id/webhook/rotate': {
    body: { leaked: boolean };
    answer: { secrets: WebhookSecret[] };
  };
  /** Sends an example event now and returns the result. */
  'POST /panel/accounts/:account_id/webhook/test': { answer: DeliveryAttemptRow };
  /** `limit` 1 to 100, 50 by default. */
  'GET /panel/accounts/:account_id/deliveries': {
    query: Omit<DeliveryQuery, 'limit'> & { limit?: string };
    answer: Page<DeliveryRow>;
  };
  'GET /panel/accounts/:account_id/deliveries/:delivery_id': { answer: DeliveryDetail };
  /** Sends its event again, under the same `webhook-id`; answers the new delivery. */
  'POST /panel/accounts/:account_id/deliveries/:delivery_id/replay': { answer: DeliveryRow };
  /** Makes the next attempt of waiting deliveries now: of all, or of one. */
  'POST /panel/accounts/:account_id/deliveries/retry': {
    body: { delivery_id: number | null };
    answer: { retried: number };
  };
  /** How many events `replay-failed` would send, up to 10,000. */
  'GET /panel/accounts/:account_id/deliveries/failed': {
    query: { since: string };
    answer: { count: number };
  };
  /** Sends events again that were tried and not delivered since then. */
  'POST /panel/accounts/:account_id/deliveries/replay-failed': {
    body: { since: string };
    answer: { replayed: number };
  };
}

export type WebhookDetail = Static<typeof webhookSchema>;
export type WebhookSecret = Static<typeof secretSchema>;
export type DeliveryRow = Static<typeof deliverySchema>;
export type DeliveryDetail = Static<typeof deliveryDetailSchema>;
export type DeliveryAttemptRow = Static<typeof attemptSchema>;
