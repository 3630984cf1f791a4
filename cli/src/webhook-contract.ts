/** What the webhook verbs need of the server. Names are those of the JSON; times are ISO 8601. */
export interface WebhookOperator {
  /** `account` is an id or a name, here and below; `null` removes the webhook. */
  setWebhook(webhook: {
    account: string;
    url: string | null;
  }): Promise<WebhookInfo & { cancelled_deliveries: number }>;
  showWebhook(webhook: { account: string }): Promise<WebhookInfo>;
  rotateWebhookSecret(webhook: { account: string; leaked?: boolean }): Promise<WebhookInfo>;
  testWebhook(webhook: { account: string; url?: string }): Promise<WebhookTest>;
  listDeliveries(filter: {
    account: string;
    status?: DeliveryStatus;
    eventId?: string;
    limit?: number;
  }): Promise<DeliveryInfo[]>;
  replayDeliveries(replay: {
    account: string;
    eventId?: string;
    sinceMs?: number;
    delivered?: boolean;
  }): Promise<{ deliveries: number }>;
}

export const deliveryStatuses = ['pending', 'delivered', 'failed', 'cancelled'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export interface WebhookInfo {
  account_id: string;
  url: string | null;
  /** Since when every attempt failed. */
  failing_since: string | null;
  disabled_at: string | null;
  disabled_reason: 'gone' | 'failing' | null;
  /** The current one first. */
  secrets: { secret: string; expires_at: string | null }[];
}

export interface WebhookTest {
  url: string;
  webhook_id: string;
  ok: boolean;
  status: number | null;
  failure: string | null;
  duration_ms: number;
  answer: string | null;
}

export interface DeliveryInfo {
  delivery_id: number;
  event_id: string;
  type: string;
  job_id: string;
  url: string;
  status: DeliveryStatus;
  failure: string | null;
  created_at: string;
  ended_at: string | null;
  next_attempt_at: string | null;
  attempts: {
    attempt: number;
    at: string;
    duration_ms: number;
    status: number | null;
    failure: string | null;
    answer: string | null;
  }[];
}
