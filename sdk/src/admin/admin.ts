import type { CallOptions } from '../account-calls.ts';
import type { Paged } from '../pages.ts';
import { withQuery } from '../paths.ts';
import { readAnswer } from '../read-answer.ts';
import { sendForText } from '../send.ts';
import { AccountAdmin } from './account-admin.ts';
import type { PageQuery } from './account-types.ts';
import type {
  AccountPayment,
  AppliedModels,
  AuditChoices,
  AuditEntry,
  AuditFilters,
  AuditQuery,
  BillCheck,
  BillRequest,
  Brand,
  BrandPreview,
  BrandRequest,
  ConnectionCheck,
  ConnectionInfo,
  ConnectionRequest,
  DaysQuery,
  EmailSample,
  InstallationStatement,
  InstallationStatus,
  InstalledModel,
  MarginAlert,
  MarginQuery,
  Margins,
  ModelChangesRequest,
  ModelDefinition,
  ModelVersion,
  NewVouchers,
  OlderModel,
  Owed,
  Pause,
  PauseRequest,
  PriceGroup,
  PriceGroupRequest,
  PriceGroupVersion,
  Rate,
  RateRequest,
  RefusedPrompt,
  Report,
  RouteCheck,
  RouteOverview,
  ServerInfo,
  Verified,
  VoucherBatch,
  VoucherRequest,
} from './types.ts';

export type { DarkroomAdminOptions } from './admin-sender.ts';

/**
 * Administers a Darkroom server: accounts and their money, keys and limits, models, jobs and deliveries. Each account
 * is given by its id or name. Throws the same errors as `Darkroom`.
 */
export class DarkroomAdmin extends AccountAdmin {
  listModels(options: CallOptions = {}): Promise<InstalledModel[]> {
    return this.list<InstalledModel>('GET', '/models', options);
  }

  exportModels(options: CallOptions = {}): Promise<{ models: ModelDefinition[] }> {
    return this.send<{ models: ModelDefinition[] }>('GET', '/models/export', options);
  }

  /** Returns what these models would change; with `apply`, makes the change. */
  applyModels(request: ModelChangesRequest, options: CallOptions = {}): Promise<AppliedModels> {
    return this.send<AppliedModels>('POST', '/models', options, request);
  }

  /** Lists every version of a model, newest first. */
  modelHistory(model: string, options: CallOptions = {}): Promise<ModelVersion[]> {
    return this.list<ModelVersion>('GET', `${modelPath(model)}/versions`, options);
  }

  getModelVersion(model: string, version: number, options: CallOptions = {}): Promise<OlderModel> {
    return this.send<OlderModel>('GET', `${modelPath(model)}/versions/${version}`, options);
  }

  /** Restores an older version. Fails with `changed_meanwhile` if a version after `ifVersion` exists. */
  restoreModel(
    model: string,
    version: number,
    { ifVersion, ...options }: CallOptions & { ifVersion?: number } = {},
  ): Promise<void> {
    const body = { version, ...(ifVersion !== undefined && { if_version: ifVersion }) };
    return this.send<void>('POST', `${modelPath(model)}/restore`, options, body);
  }

  /** Removes a model. Fails with `changed_meanwhile` if a version after `ifVersion` exists. */
  removeModel(
    model: string,
    { ifVersion, ...options }: CallOptions & { ifVersion?: number } = {},
  ): Promise<void> {
    return this.send<void>('DELETE', withQuery(modelPath(model), { if_version: ifVersion }), options);
  }

  /** Returns the margins; by default those of the last 30 days, by model. */
  margins(query: MarginQuery = {}, options: CallOptions = {}): Promise<Margins> {
    return this.send<Margins>('GET', withQuery('/margins', query), options);
  }

  /** Downloads the margins as CSV, in pieces as they arrive. */
  downloadMarginTable(query: MarginQuery = {}, { signal }: CallOptions = {}): AsyncGenerator<Uint8Array> {
    return readAnswer(this.transport, withQuery('/margins.csv', query), signal);
  }

  /** Lists models that are sold below their cost, or whose cost has risen. */
  marginAlerts(options: CallOptions = {}): Promise<MarginAlert[]> {
    return this.list<MarginAlert>('GET', '/margins/alerts', options);
  }

  /** Lists each day's changes of all balances, and their sum at its end; by default for the last 30 days. */
  owed(query: DaysQuery = {}, options: CallOptions = {}): Promise<Owed> {
    return this.send<Owed>('GET', withQuery('/owed', query), options);
  }

  /** Reads the sums of all balances as CSV. */
  owedTable(query: DaysQuery = {}, { signal }: CallOptions = {}): Promise<string> {
    return sendForText(this.transport, { method: 'GET', path: withQuery('/owed.csv', query), signal });
  }

  /** Lists the months that have a statement of all accounts together, newest first. */
  listInstallationStatements(options: CallOptions = {}): Promise<string[]> {
    return this.list<string>('GET', '/statements', options);
  }

  /** Reads the statement of a month such as `2026-10`. */
  readInstallationStatement(month: string, options: CallOptions = {}): Promise<InstallationStatement> {
    return this.send<InstallationStatement>('GET', `/statements/${encodeURIComponent(month)}`, options);
  }

  /** Reads the statement as CSV. */
  installationStatementTable(month: string, { signal }: CallOptions = {}): Promise<string> {
    const path = `/statements/${encodeURIComponent(month)}/csv`;
    return sendForText(this.transport, { method: 'GET', path, signal });
  }

  /** Compares a vendor's file of charges with the recorded attempts. The server does not keep the file. */
  checkBill(request: BillRequest, options: CallOptions = {}): Promise<BillCheck> {
    return this.send<BillCheck>('POST', '/costs/check', options, request);
  }

  listConnections(options: CallOptions = {}): Promise<ConnectionInfo[]> {
    return this.list<ConnectionInfo>('GET', '/connections', options);
  }

  addConnection(
    name: string,
    connection: ConnectionRequest,
    options: CallOptions = {},
  ): Promise<ConnectionInfo> {
    return this.send<ConnectionInfo>('PUT', connectionPath(name), options, connection);
  }

  /** Asks the provider whether it accepts our key. Makes no image and costs nothing. */
  checkConnection(name: string, options: CallOptions = {}): Promise<ConnectionCheck> {
    return this.send<ConnectionCheck>('POST', `${connectionPath(name)}/check`, options);
  }

  /** Removes a connection. `withRoutes` also removes its routes. Otherwise they wait for a new connection. */
  removeConnection(
    name: string,
    { withRoutes, ...options }: CallOptions & { withRoutes?: boolean } = {},
  ): Promise<void> {
    return this.send<void>('DELETE', withQuery(connectionPath(name), { with_routes: withRoutes }), options);
  }

  /** Lists the routes of each model with their state. `check` also asks each provider. */
  routes({ check = false }: { check?: boolean } = {}, options: CallOptions = {}): Promise<RouteOverview> {
    return this.send<RouteOverview>('GET', withQuery('/routes', { check }), options);
  }

  /** Asks the provider of one route whether it accepts our key. Makes no image and costs nothing. */
  checkRoute(route: string, options: CallOptions = {}): Promise<RouteCheck> {
    return this.send<RouteCheck>('POST', `/routes/${encodeURIComponent(route)}/check`, options);
  }

  /** Lets a route whose circuit is open take the next job, without waiting until its rest is over. */
  tryRoute(route: string, options: CallOptions = {}): Promise<{ route: string; tried: boolean }> {
    return this.send('POST', `/routes/${encodeURIComponent(route)}/try`, options);
  }

  listPauses(options: CallOptions = {}): Promise<Pause[]> {
    return this.list<Pause>('GET', '/pauses', options);
  }

  /** Pauses a scope: the id of a model, the id of an account, or `project` for everything. */
  pause(scope: string, pause: PauseRequest = {}, options: CallOptions = {}): Promise<void> {
    return this.send<void>('PUT', `/pauses/${encodeURIComponent(scope)}`, options, pause);
  }

  resume(scope: string, options: CallOptions = {}): Promise<void> {
    return this.send<void>('DELETE', `/pauses/${encodeURIComponent(scope)}`, options);
  }

  status(options: CallOptions = {}): Promise<InstallationStatus> {
    return this.send<InstallationStatus>('GET', '/status', options);
  }

  /** Checks the invariants of the data. With `images`, also reads every image. The client never retries the call. */
  selfCheck(request: { images?: boolean } = {}, options: CallOptions = {}): Promise<Verified> {
    return this.long<Verified>('/self-check', request, options);
  }

  /** Describes the server process that answers, and its configuration. */
  server(options: CallOptions = {}): Promise<ServerInfo> {
    return this.send<ServerInfo>('GET', '/server', options);
  }

  /** Lists the people and actions by which the audit log can be filtered. */
  auditChoices(options: CallOptions = {}): Promise<AuditChoices> {
    return this.send<AuditChoices>('GET', '/audit/choices', options);
  }

  /** Downloads all matching entries of the audit log as CSV, in pieces as they arrive. */
  downloadAuditTable(query: AuditFilters = {}, { signal }: CallOptions = {}): AsyncGenerator<Uint8Array> {
    return readAnswer(this.transport, withQuery('/audit.csv', query), signal);
  }

  /** Downloads all matching entries of the audit log as JSON Lines, in pieces as they arrive. */
  downloadAuditLines(query: AuditFilters = {}, { signal }: CallOptions = {}): AsyncGenerator<Uint8Array> {
    return readAnswer(this.transport, withQuery('/audit.jsonl', query), signal);
  }

  /** Lists the payments of all accounts, newest first. */
  listAllPayments(query: PageQuery = {}, options: CallOptions = {}): Paged<AccountPayment> {
    return this.pages<AccountPayment>('/payments', query, options);
  }

  /** Creates codes that accounts redeem for credit. Only this answer contains the codes. */
  createVouchers(request: VoucherRequest, options: CallOptions = {}): Promise<NewVouchers> {
    return this.make<NewVouchers>('/vouchers', request, options);
  }

  /** Lists batches of vouchers, newest first. */
  listVouchers(query: PageQuery = {}, options: CallOptions = {}): Paged<VoucherBatch> {
    return this.pages<VoucherBatch>('/vouchers', query, options);
  }

  getVouchers(batchId: string, options: CallOptions = {}): Promise<VoucherBatch> {
    return this.send<VoucherBatch>('GET', voucherPath(batchId), options);
  }

  /** Withdraws vouchers, so that their codes can no longer be redeemed. */
  async withdrawVouchers(batchId: string, options: CallOptions = {}): Promise<void> {
    await this.send('DELETE', voucherPath(batchId), options);
  }

  listPriceGroups(options: CallOptions = {}): Promise<PriceGroup[]> {
    return this.list<PriceGroup>('GET', '/price-groups', options);
  }

  getPriceGroup(groupId: string, options: CallOptions = {}): Promise<PriceGroup> {
    return this.send<PriceGroup>('GET', groupPath(groupId), options);
  }

  /** Creates or replaces a price group, for jobs accepted from now on. */
  savePriceGroup(groupId: string, group: PriceGroupRequest, options: CallOptions = {}): Promise<PriceGroup> {
    return this.send<PriceGroup>('PUT', groupPath(groupId), options, group);
  }

  /** Removes a price group that no account belongs to. */
  async removePriceGroup(groupId: string, options: CallOptions = {}): Promise<void> {
    await this.send('DELETE', groupPath(groupId), options);
  }

  /** Lists the rates for the usage that providers report: the published rates, then those that operators set. */
  listRates(options: CallOptions = {}): Promise<Rate[]> {
    return this.list<Rate>('GET', '/rates', options);
  }

  /** Sets a rate that replaces the published rate for attempts from now on. Returns all rates. */
  saveRate(rate: RateRequest, options: CallOptions = {}): Promise<Rate[]> {
    return this.list<Rate>('PATCH', '/rates', options, rate);
  }

  /** Lists the versions of a price group, newest first, even if the group was removed. */
  priceGroupHistory(groupId: string, options: CallOptions = {}): Promise<PriceGroupVersion[]> {
    return this.list<PriceGroupVersion>('GET', `${groupPath(groupId)}/versions`, options);
  }

  getBrand(options: CallOptions = {}): Promise<Brand> {
    return this.send<Brand>('GET', '/brand', options);
  }

  /** Replaces the brand. Without a logo, the current logo stays. */
  saveBrand(brand: BrandRequest, options: CallOptions = {}): Promise<Brand> {
    return this.send<Brand>('PUT', '/brand', options, brand);
  }

  async removeBrand(options: CallOptions = {}): Promise<void> {
    await this.send('DELETE', '/brand', options);
  }

  /** Previews the brand; changes nothing. */
  previewBrand(brand: BrandRequest, options: CallOptions = {}): Promise<BrandPreview> {
    return this.send<BrandPreview>('POST', '/brand/preview', options, brand);
  }

  /** Lists each email that people can get, filled with sample data. */
  listEmails(options: CallOptions = {}): Promise<EmailSample[]> {
    return this.list<EmailSample>('GET', '/emails', options);
  }

  /** Lists reports of abuse, newest first; by default the open ones. */
  listReports(
    query: PageQuery & { status?: 'open' | 'resolved' } = {},
    options: CallOptions = {},
  ): Paged<Report> {
    return this.pages<Report>('/reports', query, options);
  }

  /** Downloads the reported image, in pieces as they arrive. Once the image is taken down, downloads its copy. */
  reportedImage(reportId: string, { signal }: CallOptions = {}): AsyncGenerator<Uint8Array> {
    return readAnswer(this.transport, `${reportPath(reportId)}/image`, signal);
  }

  /** Deletes the reported image, and keeps a copy of it until the report is resolved. */
  takeDown(reportId: string, options: CallOptions = {}): Promise<Report> {
    return this.send<Report>('POST', `${reportPath(reportId)}/take-down`, options);
  }

  resolveReport(reportId: string, options: CallOptions = {}): Promise<Report> {
    return this.send<Report>('POST', `${reportPath(reportId)}/resolve`, options);
  }

  /** Lists prompts that the policy refused, newest first, if the installation keeps them. */
  listRefusedPrompts(
    query: PageQuery & { account?: string } = {},
    options: CallOptions = {},
  ): Paged<RefusedPrompt> {
    return this.pages<RefusedPrompt>('/refused-prompts', query, options);
  }

  /** Lists the entries of the audit log, which says who did what; newest first. */
  listAuditEntries(query: AuditQuery = {}, options: CallOptions = {}): Paged<AuditEntry> {
    return this.pages<AuditEntry>('/audit', query, options);
  }
}

const reportPath = (reportId: string) => `/reports/${encodeURIComponent(reportId)}`;
const groupPath = (groupId: string) => `/price-groups/${encodeURIComponent(groupId)}`;
const voucherPath = (batchId: string) => `/vouchers/${encodeURIComponent(batchId)}`;
const modelPath = (model: string) => `/models/${encodeURIComponent(model)}`;
const connectionPath = (name: string) => `/connections/${encodeURIComponent(name)}`;
