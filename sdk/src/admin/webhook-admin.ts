import type { CallOptions } from '../account-calls.ts';
import type { Paged } from '../pages.ts';
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
  SigningSecrets,
  WebhookTest,
} from '../types.ts';
import type { ReplayRequest } from './account-types.ts';
import { accountPath } from './admin-sender.ts';
import { JobAdmin } from './job-admin.ts';

/** The calls about endpoints and their deliveries. `default` is the id of an account's default endpoint. */
export abstract class WebhookAdmin extends JobAdmin {
  /** Lists endpoints, the default one first, without secrets. */
  listEndpoints(account: string, options: CallOptions = {}): Promise<Endpoint[]> {
    return this.list<Endpoint>('GET', `${accountPath(account)}/webhooks`, options);
  }

  getEndpoint(account: string, endpointId: string, options: CallOptions = {}): Promise<EndpointDetail> {
    return this.send<EndpointDetail>('GET', endpointPath(account, endpointId), options);
  }

  /** Adds an endpoint. Only this answer contains its signing secret. */
  addEndpoint(
    account: string,
    endpoint: NewEndpoint,
    options: CallOptions = {},
  ): Promise<Endpoint & { secret: string }> {
    return this.make<Endpoint & { secret: string }>(`${accountPath(account)}/webhooks`, endpoint, options);
  }

  /** Changes an endpoint; omitted fields keep their values. */
  changeEndpoint(
    account: string,
    endpointId: string,
    change: EndpointChange,
    options: CallOptions = {},
  ): Promise<ChangedEndpoint> {
    return this.send<ChangedEndpoint>('PATCH', endpointPath(account, endpointId), options, change);
  }

  /** Replaces an endpoint, and creates the endpoint `default` if there is none. Omitted fields get their defaults. */
  replaceEndpoint(
    account: string,
    endpointId: string,
    endpoint: EndpointUpdate,
    options: CallOptions = {},
  ): Promise<ChangedEndpoint> {
    return this.send<ChangedEndpoint>('PUT', endpointPath(account, endpointId), options, endpoint);
  }

  /** Returns an endpoint's signing secrets. The audit log records this. */
  revealEndpointSecret(
    account: string,
    endpointId: string,
    options: CallOptions = {},
  ): Promise<SigningSecrets> {
    return this.send<SigningSecrets>('POST', `${endpointPath(account, endpointId)}/reveal`, options);
  }

  /** Replaces the secret. The old secret signs for another day, or stops immediately if `leaked` is true. */
  rotateEndpointSecret(
    account: string,
    endpointId: string,
    rotation: { leaked?: boolean } = {},
    options: CallOptions = {},
  ): Promise<SigningSecrets> {
    return this.make<SigningSecrets>(`${endpointPath(account, endpointId)}/rotate`, rotation, options);
  }

  /**
   * Sends one signed `webhook.test` event now, to the endpoint or to the given URL. The client never retries the call.
   */
  testEndpoint(
    account: string,
    endpointId: string,
    test: { url?: string } = {},
    options: CallOptions = {},
  ): Promise<WebhookTest> {
    return this.once<WebhookTest>(`${endpointPath(account, endpointId)}/test`, test, options);
  }

  /** Removes an endpoint and cancels its waiting deliveries. */
  removeEndpoint(account: string, endpointId: string, options: CallOptions = {}): Promise<void> {
    return this.send('DELETE', endpointPath(account, endpointId), options);
  }

  /** Lists deliveries, newest first, each with its attempts. */
  listDeliveries(account: string, query: DeliveryQuery = {}, options: CallOptions = {}): Paged<Delivery> {
    return this.pages<Delivery>(`${accountPath(account)}/deliveries`, query, options);
  }

  /** Reads a delivery with the body as it would be sent now. */
  getDelivery(account: string, deliveryId: string, options: CallOptions = {}): Promise<DeliveryDetail> {
    return this.send<DeliveryDetail>('GET', `${accountPath(account)}/deliveries/${deliveryId}`, options);
  }

  replayDelivery(account: string, deliveryId: string, options: CallOptions = {}): Promise<Delivery> {
    return this.make<Delivery>(`${accountPath(account)}/deliveries/${deliveryId}/replay`, undefined, options);
  }

  /** Sends undelivered events again under the same ids. With `pending`, tries waiting deliveries now. */
  replayDeliveries(
    account: string,
    request: ReplayRequest = {},
    options: CallOptions = {},
  ): Promise<{ replayed: number }> {
    return this.make(`${accountPath(account)}/deliveries/replay`, request, options);
  }

  /** Returns the number of deliveries that `replayDeliveries` would make since a time, 10,000 at most. */
  countReplayableDeliveries(
    account: string,
    query: { from: string; endpoint_id?: string },
    options: CallOptions = {},
  ): Promise<{ count: number }> {
    return this.send('GET', withQuery(`${accountPath(account)}/deliveries/replay`, query), options);
  }
}

const endpointPath = (account: string, endpointId: string) =>
  `${accountPath(account)}/webhooks/${encodeURIComponent(endpointId)}`;
