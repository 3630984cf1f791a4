import type { Statement } from './admin/account-types.ts';
import { type Paged, paged } from './pages.ts';
import { endpointPath, withQuery } from './paths.ts';
import { readAnswer } from './read-answer.ts';
import { make, send, sendForText, type Transport } from './send.ts';
import type {
  Balance,
  ChangedEndpoint,
  Delivery,
  DeliveryDetail,
  DeliveryQuery,
  Endpoint,
  EndpointChange,
  EndpointDetail,
  EndpointUpdate,
  Entry,
  EntryQuery,
  NewEndpoint,
  OpenedPayment,
  Page,
  Payment,
  RedeemedVoucher,
  Usage,
  UsageQuery,
  WebhookSecret,
  WebhookTest,
} from './types.ts';

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** The calls about an account's money and its webhook endpoints. */
export abstract class AccountCalls {
  protected readonly transport: Transport;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  balance(options: CallOptions = {}): Promise<Balance> {
    return this.get<Balance>('/balance', options);
  }

  /** Adds the value of a voucher's code to the balance. Each account can redeem a code once. */
  redeemVoucher(code: string, options: CallOptions = {}): Promise<RedeemedVoucher> {
    return this.make<RedeemedVoucher>('/vouchers/redeem', options, { code });
  }

  /** Creates a page on which a person pays for credit, if the installation takes payments. */
  createPayment(amount: string, options: CallOptions = {}): Promise<OpenedPayment> {
    return this.make<OpenedPayment>('/payments', options, { amount });
  }

  getPayment(paymentId: string, options: CallOptions = {}): Promise<Payment> {
    return this.get<Payment>(`/payments/${encodeURIComponent(paymentId)}`, options);
  }

  /** Lists payments, newest first. */
  listPayments(options: CallOptions = {}): Paged<Payment> {
    return this.pages<Payment>('/payments', {}, options);
  }

  /** Lists every change of the balance, newest first. */
  listEntries(query: EntryQuery = {}, options: CallOptions = {}): Paged<Entry> {
    return this.pages<Entry>('/entries', query, options);
  }

  /** Downloads the ledger as CSV, in pieces as they arrive. */
  downloadEntryTable({ signal }: CallOptions = {}): AsyncGenerator<Uint8Array> {
    return readAnswer(this.transport, '/entries.csv', signal);
  }

  /** Lists the months that have a statement, newest first. */
  async listStatements(options: CallOptions = {}): Promise<string[]> {
    return (await this.get<{ data: string[] }>('/statements', options)).data;
  }

  /** Reads the statement of a month such as `2026-11`. */
  getStatement(month: string, options: CallOptions = {}): Promise<Statement> {
    return this.get<Statement>(`/statements/${encodeURIComponent(month)}`, options);
  }

  /** Reads the statement as CSV. */
  getStatementTable(month: string, { signal }: CallOptions = {}): Promise<string> {
    const path = `/statements/${encodeURIComponent(month)}/csv`;
    return sendForText(this.transport, { method: 'GET', path, signal });
  }

  /** Yields all statements, newest first. */
  async *statements(options: CallOptions = {}): AsyncGenerator<Statement> {
    for (const month of await this.listStatements(options)) yield this.getStatement(month, options);
  }

  /** Returns the number of jobs and their cost per day, for at most 92 days. */
  usage(query: UsageQuery = {}, options: CallOptions = {}): Promise<Usage> {
    return this.get<Usage>(withQuery('/usage', query), options);
  }

  /** Downloads the usage as CSV, in pieces as they arrive. Three days or fewer are listed by the hour. */
  downloadUsageTable(
    query: Omit<UsageQuery, 'include'> = {},
    { signal }: CallOptions = {},
  ): AsyncGenerator<Uint8Array> {
    return readAnswer(this.transport, withQuery('/usage.csv', query), signal);
  }

  /**
   * Creates a new signing secret for an endpoint, by default the default endpoint. Returns all signing secrets, newest
   * first. The old secret signs for another day, unless `leaked` is true.
   */
  async rotateWebhookSecret(
    options: CallOptions & { leaked?: boolean; endpointId?: string } = {},
  ): Promise<WebhookSecret[]> {
    const body = { leaked: options.leaked ?? false };
    const path = `${endpointPath(options)}/rotate`;
    return (await this.make<{ secrets: WebhookSecret[] }>(path, options, body)).secrets;
  }

  /** Sends a `webhook.test` event to an endpoint, by default the default one, and returns the result. Never retried. */
  testWebhook(options: CallOptions & { endpointId?: string } = {}): Promise<WebhookTest> {
    const path = `${endpointPath(options)}/test`;
    return send<WebhookTest>(
      { ...this.transport, maxRetries: 0 },
      { method: 'POST', path, signal: options.signal },
    );
  }

  /** Lists all endpoints of the account, the default one first. */
  async listEndpoints(options: CallOptions = {}): Promise<Endpoint[]> {
    return (await this.get<{ data: Endpoint[] }>('/webhooks', options)).data;
  }

  /** Reads an endpoint. The id `default` means the default endpoint. */
  getEndpoint(endpointId: string, options: CallOptions = {}): Promise<EndpointDetail> {
    return this.get<EndpointDetail>(`/webhooks/${endpointId}`, options);
  }

  /** Adds an endpoint for the account's events. Only this answer contains its signing secret. */
  addEndpoint(endpoint: NewEndpoint, options: CallOptions = {}): Promise<Endpoint & { secret: string }> {
    return this.make<Endpoint & { secret: string }>('/webhooks', options, endpoint);
  }

  /** Replaces an endpoint, and creates the endpoint `default` if there is none. Omitted fields get their defaults. */
  replaceEndpoint(
    endpointId: string,
    endpoint: EndpointUpdate,
    options: CallOptions = {},
  ): Promise<ChangedEndpoint> {
    return this.change<ChangedEndpoint>('PUT', `/webhooks/${endpointId}`, options, endpoint);
  }

  /** Changes an endpoint; omitted fields keep their values. */
  changeEndpoint(
    endpointId: string,
    change: EndpointChange,
    options: CallOptions = {},
  ): Promise<ChangedEndpoint> {
    return this.change<ChangedEndpoint>('PATCH', `/webhooks/${endpointId}`, options, change);
  }

  /** Removes an endpoint and cancels its waiting deliveries. */
  async removeEndpoint(endpointId: string, options: CallOptions = {}): Promise<void> {
    await this.change('DELETE', `/webhooks/${endpointId}`, options);
  }

  listDeliveries(query: DeliveryQuery = {}, options: CallOptions = {}): Paged<Delivery> {
    return this.pages<Delivery>('/deliveries', query, options);
  }

  getDelivery(deliveryId: string, options: CallOptions = {}): Promise<DeliveryDetail> {
    return this.get<DeliveryDetail>(`/deliveries/${deliveryId}`, options);
  }

  /** Tries a waiting delivery now. Sends the event of any other delivery again, under the same `webhook-id`. */
  replayDelivery(deliveryId: string, options: CallOptions = {}): Promise<Delivery> {
    return this.make<Delivery>(`/deliveries/${deliveryId}/replay`, options);
  }

  /** Returns the number of deliveries that `replayFailed` would make, 10,000 at most. */
  async countReplayable(
    since: string,
    { endpointId: endpoint_id, ...options }: CallOptions & { endpointId?: string } = {},
  ): Promise<number> {
    const path = withQuery('/deliveries/replay', { from: since, endpoint_id });
    return (await this.get<{ count: number }>(path, options)).count;
  }

  /** Sends undelivered events since `since` again. Returns the number of new deliveries. */
  async replayFailed(since: string, options: CallOptions = {}): Promise<number> {
    const path = '/deliveries/replay';
    return (await this.make<{ replayed: number }>(path, options, { from: since })).replayed;
  }

  protected get<Body>(path: string, { signal }: CallOptions): Promise<Body> {
    return send<Body>(this.transport, { method: 'GET', path, signal });
  }

  protected pages<Item>(path: string, query: object, options: CallOptions): Paged<Item> {
    return paged((place) => this.get<Page<Item>>(withQuery(path, { ...query, ...place }), options));
  }

  /** Sends a POST with an idempotency key, so that it takes effect once. */
  protected make<Body>(path: string, { signal }: CallOptions, body?: object): Promise<Body> {
    return make<Body>(this.transport, { path, signal, body });
  }

  protected change<Body>(
    method: 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    { signal }: CallOptions,
    body?: object,
  ): Promise<Body> {
    return send<Body>(this.transport, { method, path, signal, ...(body && { body }) });
  }
}
