import type { CallOptions } from '../darkroom.ts';
import { withQuery } from '../paths.ts';
import type {
  ChangedEndpoint,
  Delivery,
  DeliveryDetail,
  DeliveryQuery,
  Endpoint,
  EndpointChange,
  EndpointDetail,
  EndpointUpdate,
  NewEndpoint,
  Page,
  Webhook,
  WebhookTest,
} from '../types.ts';
import type {
  EndpointName,
  ReplayRequest,
  RetryRequest,
  SetWebhook,
  WebhookWithSecrets,
} from './account-types.ts';
import { accountPath } from './admin-sender.ts';
import { JobAdmin } from './job-admin.ts';

/** Where the events of accounts go, and what was sent there. An account is named by its id or its name. */
export abstract class WebhookAdmin extends JobAdmin {
  /** The default endpoint; null removes it. */
  setWebhook(
    account: string,
    webhook: { url: string | null },
    options: CallOptions = {},
  ): Promise<SetWebhook> {
    return this.send<SetWebhook>('PUT', `${accountPath(account)}/webhook`, options, webhook);
  }

  /** The default endpoint, without its secrets. */
  getWebhook(account: string, options: CallOptions = {}): Promise<Webhook> {
    return this.send<Webhook>('GET', `${accountPath(account)}/webhook`, options);
  }

  removeWebhook(account: string, options: CallOptions = {}): Promise<SetWebhook> {
    return this.send<SetWebhook>('DELETE', `${accountPath(account)}/webhook`, options);
  }

  /** With its secrets, which the audit log notes; the default endpoint unless one is named. */
  showWebhook(
    account: string,
    name: EndpointName = {},
    options: CallOptions = {},
  ): Promise<WebhookWithSecrets> {
    return this.send<WebhookWithSecrets>('POST', `${accountPath(account)}/webhook/reveal`, options, name);
  }

  /** The old secret signs for a day more, or ends now when it has leaked. Never retried. */
  rotateWebhookSecret(
    account: string,
    rotation: EndpointName & { leaked?: boolean } = {},
    options: CallOptions = {},
  ): Promise<WebhookWithSecrets> {
    return this.once<WebhookWithSecrets>(`${accountPath(account)}/webhook/rotate`, rotation, options);
  }

  /** Sends one signed `webhook.test` now. */
  testWebhook(
    account: string,
    test: EndpointName & { url?: string } = {},
    options: CallOptions = {},
  ): Promise<WebhookTest> {
    return this.once<WebhookTest>(`${accountPath(account)}/webhook/test`, test, options);
  }

  /** The default one first, without secrets. */
  listEndpoints(account: string, options: CallOptions = {}): Promise<Endpoint[]> {
    return this.list<Endpoint>('GET', `${accountPath(account)}/webhooks`, options);
  }

  getEndpoint(account: string, endpointId: string, options: CallOptions = {}): Promise<EndpointDetail> {
    return this.send<EndpointDetail>('GET', endpointPath(account, endpointId), options);
  }

  /** Never retried: an endpoint whose answer was lost is there. */
  addEndpoint(
    account: string,
    endpoint: NewEndpoint,
    options: CallOptions = {},
  ): Promise<Endpoint & { secret: string }> {
    return this.once<Endpoint & { secret: string }>(`${accountPath(account)}/webhooks`, endpoint, options);
  }

  /** What is not named stays. */
  changeEndpoint(
    account: string,
    endpointId: string,
    change: EndpointChange,
    options: CallOptions = {},
  ): Promise<ChangedEndpoint> {
    return this.send<ChangedEndpoint>('PATCH', endpointPath(account, endpointId), options, change);
  }

  /** What is left out becomes what a new endpoint has. */
  replaceEndpoint(
    account: string,
    endpointId: string,
    endpoint: EndpointUpdate,
    options: CallOptions = {},
  ): Promise<ChangedEndpoint> {
    return this.send<ChangedEndpoint>('PUT', endpointPath(account, endpointId), options, endpoint);
  }

  /** With its secrets, which the audit log notes. */
  revealEndpointSecret(
    account: string,
    endpointId: string,
    options: CallOptions = {},
  ): Promise<WebhookWithSecrets> {
    return this.send<WebhookWithSecrets>('POST', `${endpointPath(account, endpointId)}/reveal`, options);
  }

  /** The old secret signs for a day more, or ends now when it has leaked. Never retried. */
  rotateEndpointSecret(
    account: string,
    endpointId: string,
    rotation: { leaked?: boolean } = {},
    options: CallOptions = {},
  ): Promise<WebhookWithSecrets> {
    return this.once<WebhookWithSecrets>(`${endpointPath(account, endpointId)}/rotate`, rotation, options);
  }

  /** Sends one signed `webhook.test` there now. */
  testEndpoint(account: string, endpointId: string, options: CallOptions = {}): Promise<WebhookTest> {
    return this.once<WebhookTest>(`${endpointPath(account, endpointId)}/test`, undefined, options);
  }

  removeEndpoint(
    account: string,
    endpointId: string,
    options: CallOptions = {},
  ): Promise<{ endpoint_id: string; cancelled_deliveries: number }> {
    return this.send('DELETE', endpointPath(account, endpointId), options);
  }

  /** The newest first, each with its attempts. */
  listDeliveries(
    account: string,
    query: DeliveryQuery = {},
    options: CallOptions = {},
  ): Promise<Page<Delivery>> {
    const path = withQuery(`${accountPath(account)}/deliveries`, query);
    return this.send<Page<Delivery>>('GET', path, options);
  }

  /** With the body as it would be sent now. */
  getDelivery(account: string, deliveryId: string, options: CallOptions = {}): Promise<DeliveryDetail> {
    return this.send<DeliveryDetail>('GET', `${accountPath(account)}/deliveries/${deliveryId}`, options);
  }

  replayDelivery(account: string, deliveryId: string, options: CallOptions = {}): Promise<Delivery> {
    return this.send<Delivery>('POST', `${accountPath(account)}/deliveries/${deliveryId}/replay`, options);
  }

  /** Delivers again what was not delivered, under the same ids. */
  replayDeliveries(
    account: string,
    request: ReplayRequest = {},
    options: CallOptions = {},
  ): Promise<{ replayed: number }> {
    return this.send('POST', `${accountPath(account)}/deliveries/replay`, options, request);
  }

  /** Sends again the events since then that were not delivered. */
  replayFailed(
    account: string,
    request: { since: string },
    options: CallOptions = {},
  ): Promise<{ replayed: number }> {
    return this.send('POST', `${accountPath(account)}/webhook/replay`, options, request);
  }

  /** How many events were tried and not delivered since then; 10,000 at most. */
  countFailedDeliveries(
    account: string,
    query: { since: string; endpoint_id?: string },
    options: CallOptions = {},
  ): Promise<{ count: number }> {
    return this.send('GET', withQuery(`${accountPath(account)}/deliveries/failed`, query), options);
  }

  /** Tries now what waits for its next attempt. */
  retryDeliveries(
    account: string,
    request: RetryRequest = {},
    options: CallOptions = {},
  ): Promise<{ retried: number }> {
    return this.send('POST', `${accountPath(account)}/deliveries/retry`, options, request);
  }
}

const endpointPath = (account: string, endpointId: string) =>
  `${accountPath(account)}/webhooks/${encodeURIComponent(endpointId)}`;
