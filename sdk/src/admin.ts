import type {
  Account,
  AccountJob,
  AccountQuery,
  AdminJobQuery,
  Alerts,
  AppliedModels,
  AuditEntry,
  AuditQuery,
  ConnectionCheck,
  ConnectionInfo,
  ConnectionRequest,
  CreditRequest,
  DebitRequest,
  InstallationStatus,
  InstalledModel,
  KeyInfo,
  KeyListQuery,
  KeyRequest,
  LimitChanges,
  LimitInfo,
  ModelChangesRequest,
  ModelDefinition,
  ModelMargins,
  ModelVersion,
  MovedAccount,
  NewAccount,
  NewApiKey,
  Pause,
  PauseRequest,
  RouteOverview,
} from './admin-types.ts';
import type { CallOptions } from './darkroom.ts';
import { newIdempotencyKey } from './idempotency-key.ts';
import { adminBaseUrl, withQuery } from './paths.ts';
import { send, sendWithHeaders, type Transport } from './send.ts';
import { openTransport, type TransportOptions } from './transport.ts';
import type { Delivery, DeliveryQuery, Entry, EntryQuery, Page, Usage, UsageQuery } from './types.ts';

export interface DarkroomAdminOptions extends TransportOptions {
  /** Address of the server, with or without `/admin/v1` at the end. */
  baseUrl: string;
  /** Made on the machine of the server: `darkroom admin-key create`. */
  adminKey: string;
}

/**
 * Runs a Darkroom server: accounts and their money, keys and limits, models, jobs and deliveries. An account is named by
 * its id or its name. Errors are those of `Darkroom`.
 */
export class DarkroomAdmin {
  readonly #transport: Transport;

  constructor({ baseUrl, adminKey, ...options }: DarkroomAdminOptions) {
    this.#transport = openTransport(
      adminBaseUrl(baseUrl),
      adminKey,
      'adminKey must be an admin key such as dka_…',
      options,
    );
  }

  /** Retries make no second account. */
  createAccount(request: NewAccount, options: CallOptions = {}): Promise<Account> {
    const headers = { 'idempotency-key': newIdempotencyKey() };
    return this.#send<Account>('POST', '/accounts', options, request, headers);
  }

  /** The newest first. */
  listAccounts(query: AccountQuery = {}, options: CallOptions = {}): Promise<Page<Account>> {
    return this.#send<Page<Account>>('GET', withQuery('/accounts', query), options);
  }

  getAccount(account: string, options: CallOptions = {}): Promise<Account> {
    return this.#send<Account>('GET', accountPath(account), options);
  }

  disableAccount(account: string, body: { reason: string }, options: CallOptions = {}): Promise<Account> {
    return this.#send<Account>('POST', `${accountPath(account)}/disable`, options, body);
  }

  enableAccount(account: string, options: CallOptions = {}): Promise<Account> {
    return this.#send<Account>('POST', `${accountPath(account)}/enable`, options);
  }

  /** Adds money. With a reference it is added once, however often this is called; without one nothing is retried. */
  creditAccount(account: string, credit: CreditRequest, options: CallOptions = {}): Promise<MovedAccount> {
    return this.#move(`${accountPath(account)}/credits`, credit, options);
  }

  /** Takes money that no job holds. With a reference it is taken once; without one nothing is retried. */
  debitAccount(account: string, debit: DebitRequest, options: CallOptions = {}): Promise<MovedAccount> {
    return this.#move(`${accountPath(account)}/debits`, debit, options);
  }

  listEntries(account: string, query: EntryQuery = {}, options: CallOptions = {}): Promise<Page<Entry>> {
    return this.#send<Page<Entry>>('GET', withQuery(`${accountPath(account)}/entries`, query), options);
  }

  usage(account: string, query: UsageQuery = {}, options: CallOptions = {}): Promise<Usage> {
    return this.#send<Usage>('GET', withQuery(`${accountPath(account)}/usage`, query), options);
  }

  accountLimits(account: string, options: CallOptions = {}): Promise<LimitInfo[]> {
    return this.#list<LimitInfo>('GET', `${accountPath(account)}/limits`, options);
  }

  /** Those that are not named stay as they are. */
  changeAccountLimits(
    account: string,
    limits: LimitChanges,
    options: CallOptions = {},
  ): Promise<LimitInfo[]> {
    return this.#list<LimitInfo>('PATCH', `${accountPath(account)}/limits`, options, limits);
  }

  accountAlerts(account: string, options: CallOptions = {}): Promise<Alerts> {
    return this.#send<Alerts>('GET', `${accountPath(account)}/alerts`, options);
  }

  /** What is not named stays as it is. */
  changeAccountAlerts(account: string, alerts: Partial<Alerts>, options: CallOptions = {}): Promise<Alerts> {
    return this.#send<Alerts>('PATCH', `${accountPath(account)}/alerts`, options, alerts);
  }

  /** Never retried: a key whose answer was lost would be one that nobody has. */
  createKey(account: string, request: KeyRequest = {}, options: CallOptions = {}): Promise<NewApiKey> {
    return this.#once<NewApiKey>(`${accountPath(account)}/keys`, request, options);
  }

  /** The newest first; of all accounts unless one is named. */
  listKeys(query: KeyListQuery = {}, options: CallOptions = {}): Promise<Page<KeyInfo>> {
    return this.#send<Page<KeyInfo>>('GET', withQuery('/keys', query), options);
  }

  disableKey(keyId: string, options: CallOptions = {}): Promise<KeyInfo> {
    return this.#send<KeyInfo>('POST', `${keyPath(keyId)}/disable`, options);
  }

  /** A new key in the place of an old one, which works for `overlap` seconds more. Never retried. */
  rollKey(keyId: string, body: { overlap?: number } = {}, options: CallOptions = {}): Promise<NewApiKey> {
    return this.#once<NewApiKey>(`${keyPath(keyId)}/roll`, body, options);
  }

  keyLimits(keyId: string, options: CallOptions = {}): Promise<LimitInfo[]> {
    return this.#list<LimitInfo>('GET', `${keyPath(keyId)}/limits`, options);
  }

  changeKeyLimits(keyId: string, limits: LimitChanges, options: CallOptions = {}): Promise<LimitInfo[]> {
    return this.#list<LimitInfo>('PATCH', `${keyPath(keyId)}/limits`, options, limits);
  }

  /** Of all accounts, the newest first. */
  listJobs(query: AdminJobQuery = {}, options: CallOptions = {}): Promise<Page<AccountJob>> {
    return this.#send<Page<AccountJob>>('GET', withQuery('/jobs', query), options);
  }

  getJob(jobId: string, options: CallOptions = {}): Promise<AccountJob> {
    return this.#send<AccountJob>('GET', `/jobs/${encodeURIComponent(jobId)}`, options);
  }

  cancelJob(jobId: string, options: CallOptions = {}): Promise<AccountJob> {
    return this.#send<AccountJob>('POST', `/jobs/${encodeURIComponent(jobId)}/cancel`, options);
  }

  listDeliveries(
    account: string,
    query: DeliveryQuery = {},
    options: CallOptions = {},
  ): Promise<Page<Delivery>> {
    return this.#send<Page<Delivery>>('GET', withQuery(`${accountPath(account)}/deliveries`, query), options);
  }

  replayDelivery(account: string, deliveryId: number, options: CallOptions = {}): Promise<Delivery> {
    return this.#send<Delivery>('POST', `${accountPath(account)}/deliveries/${deliveryId}/replay`, options);
  }

  /** Sends again the events since then that were not delivered; returns the number of deliveries. */
  async replayFailed(account: string, since: string, options: CallOptions = {}): Promise<number> {
    const path = `${accountPath(account)}/deliveries/replay`;
    return (await this.#send<{ replayed: number }>('POST', path, options, { since })).replayed;
  }

  listModels(options: CallOptions = {}): Promise<InstalledModel[]> {
    return this.#list<InstalledModel>('GET', '/models', options);
  }

  exportModels(options: CallOptions = {}): Promise<{ models: ModelDefinition[] }> {
    return this.#send<{ models: ModelDefinition[] }>('GET', '/models/export', options);
  }

  /** What the models would change; with `apply` it is done. */
  applyModels(request: ModelChangesRequest, options: CallOptions = {}): Promise<AppliedModels> {
    return this.#send<AppliedModels>('POST', '/models', options, request);
  }

  /** Every version, the newest first. */
  modelHistory(model: string, options: CallOptions = {}): Promise<ModelVersion[]> {
    return this.#list<ModelVersion>('GET', `${modelPath(model)}/versions`, options);
  }

  restoreModel(model: string, version: number, options: CallOptions = {}): Promise<void> {
    return this.#send<void>('POST', `${modelPath(model)}/restore`, options, { version });
  }

  removeModel(model: string, options: CallOptions = {}): Promise<void> {
    return this.#send<void>('DELETE', modelPath(model), options);
  }

  /** What each model earned on each of the last seven days. */
  margins(options: CallOptions = {}): Promise<ModelMargins[]> {
    return this.#list<ModelMargins>('GET', '/margins', options);
  }

  listConnections(options: CallOptions = {}): Promise<ConnectionInfo[]> {
    return this.#list<ConnectionInfo>('GET', '/connections', options);
  }

  addConnection(
    name: string,
    connection: ConnectionRequest,
    options: CallOptions = {},
  ): Promise<Pick<ConnectionInfo, 'name' | 'provider' | 'base_url'>> {
    return this.#send('PUT', connectionPath(name), options, connection);
  }

  /** Asks the provider whether it lets us in; makes no image and costs nothing. */
  checkConnection(name: string, options: CallOptions = {}): Promise<ConnectionCheck> {
    return this.#send<ConnectionCheck>('POST', `${connectionPath(name)}/check`, options);
  }

  removeConnection(name: string, options: CallOptions = {}): Promise<void> {
    return this.#send<void>('DELETE', connectionPath(name), options);
  }

  /** Who makes the images of each model; `check` also asks each provider. */
  routes({ check = false }: { check?: boolean } = {}, options: CallOptions = {}): Promise<RouteOverview> {
    return this.#send<RouteOverview>('GET', withQuery('/routes', { check }), options);
  }

  listPauses(options: CallOptions = {}): Promise<Pause[]> {
    return this.#list<Pause>('GET', '/pauses', options);
  }

  /** Of a model, or of `project`: everything. */
  pause(scope: string, pause: PauseRequest = {}, options: CallOptions = {}): Promise<void> {
    return this.#send<void>('PUT', `/pauses/${encodeURIComponent(scope)}`, options, pause);
  }

  resume(scope: string, options: CallOptions = {}): Promise<void> {
    return this.#send<void>('DELETE', `/pauses/${encodeURIComponent(scope)}`, options);
  }

  status(options: CallOptions = {}): Promise<InstallationStatus> {
    return this.#send<InstallationStatus>('GET', '/status', options);
  }

  /** Who did what, the newest first. */
  listAuditEntries(query: AuditQuery = {}, options: CallOptions = {}): Promise<Page<AuditEntry>> {
    return this.#send<Page<AuditEntry>>('GET', withQuery('/audit', query), options);
  }

  async #move(path: string, body: CreditRequest, options: CallOptions): Promise<MovedAccount> {
    const mayRepeat = body.reference !== undefined;
    const transport = mayRepeat ? this.#transport : { ...this.#transport, maxRetries: 0 };
    const request = { method: 'POST', path, body, signal: options.signal } as const;
    const { headers, body: account } = await sendWithHeaders<Account>(transport, request);
    return { ...account, replayed: headers.get('idempotent-replayed') === 'true' };
  }

  #once<Body>(path: string, body: object, { signal }: CallOptions): Promise<Body> {
    return send<Body>({ ...this.#transport, maxRetries: 0 }, { method: 'POST', path, signal, body });
  }

  async #list<Item>(
    method: 'GET' | 'PATCH',
    path: string,
    options: CallOptions,
    body?: object,
  ): Promise<Item[]> {
    return (await this.#send<{ data: Item[] }>(method, path, options, body)).data;
  }

  #send<Body>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    { signal }: CallOptions,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<Body> {
    return send<Body>(this.#transport, {
      method,
      path,
      signal,
      ...(body && { body }),
      ...(headers && { headers }),
    });
  }
}

const accountPath = (account: string) => `/accounts/${encodeURIComponent(account)}`;
const keyPath = (keyId: string) => `/keys/${encodeURIComponent(keyId)}`;
const modelPath = (model: string) => `/models/${encodeURIComponent(model)}`;
const connectionPath = (name: string) => `/connections/${encodeURIComponent(name)}`;
