import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { DarkroomAdmin } from '@darkroom/sdk';
import type { Operator } from '@darkroom/server/operator';
import {
  account,
  accountId,
  alerts,
  billCheck,
  brand,
  checked,
  connection,
  createdAt,
  delivery,
  invitation,
  isEmpty,
  key,
  keyId,
  limits,
  loss,
  pageOf,
  rates,
  retention,
  route,
  signing,
  statement,
  status,
  webhook,
} from './fake-answers.ts';

/**
 * Loaded with `--import`: replaces the server's module, and records calls as JSON lines. All verbs have their
 * entries in this one file, because only this module is loaded.
 */
registerHooks({
  resolve: (specifier, context, next) =>
    specifier.startsWith('@darkroom/server/')
      ? { url: `${import.meta.url}?${specifier.slice('@darkroom/server/'.length)}`, shortCircuit: true }
      : next(specifier, context),
});

if (import.meta.url.endsWith('?main')) record('serve', process.argv.slice(2));

/** Like the method, but a list has only its first page. */
type Call<Method> = Method extends (...given: infer Given) => Promise<infer Result>
  ? (...given: Given) => Promise<Result>
  : Method;

const calls: { [Name in keyof DarkroomAdmin]?: Call<DarkroomAdmin[Name]> } = {
  createAccount: async (call) => {
    if (call.credit === 'ten') throw new AppError('invalid_request', '"ten" is not an amount.');
    return recorded('createAccount', call, { ...account, name: call.name });
  },
  listAccounts: async () => pageOf(isEmpty ? [] : [account]),
  getAccount: async () => account,
  disableAccount: async () => account,
  enableAccount: async () => account,
  creditAccount: async (name, call) =>
    recorded('creditAccount', { account: name, ...call }, { ...account, entry_id: 'ent_7', replayed: false }),
  debitAccount: async (name, call) =>
    recorded('debitAccount', { account: name, ...call }, { ...account, entry_id: 'ent_7', replayed: false }),
  createKey: async (name, call) => {
    if (name === 'nobody') throw new AppError('not_found', 'There is no account "nobody".');
    return recorded(
      'createKey',
      { account: name, ...call },
      { ...key, key: 'dk_secret', models: call?.models ?? null },
    );
  },
  rollKey: async () => ({ ...key, key: 'dk_secret' }),
  listKeys: async (call) =>
    pageOf(
      recorded(
        'listKeys',
        call,
        isEmpty
          ? []
          : [
              { ...key, models: ['nb'] },
              { ...key, disabled_at: createdAt },
            ],
      ),
    ),
  readStatement: async (account, month) => recorded('readStatement', { account, month }, statement),
  listStatements: async () => ['2026-10'],
  statementTable: async () =>
    `item,model,entries,amount\r\nopening_balance,${process.env.FAKE_NAME ?? ''},,0.00`,
  exportAccount: async function* (name) {
    if (name === 'nobody') throw new AppError('not_found', 'There is no account "nobody".');
    yield Buffer.from(`everything of ${name}`);
    if (name === 'large') yield Buffer.alloc(10_000);
  },
  eraseAccount: async (account, erasure) =>
    recorded('eraseAccount', { account, ...erasure }, { account_id: accountId, jobs: 2, objects: 8 }),
  listRetention: async () => retention,
  changeRetention: async (name, changes) =>
    recorded('changeRetention', { account: name, changes }, retention),
  accountLimits: async () => limits,
  keyLimits: async () => limits,
  accountAlerts: async () => alerts,
  changeAccountAlerts: async (name, changes) => recorded('changeAccountAlerts', { name, changes }, alerts),
  changeAccountLimits: async (name, changes) => recorded('changeAccountLimits', { name, changes }, limits),
  changeKeyLimits: async (keyId, changes) => recorded('changeKeyLimits', { keyId, changes }, limits),
  changeKey: async (id, { networks }) =>
    recorded('changeKey', { key: id, networks }, { ...key, networks: networks ?? null }),
  disableKey: async (call) => recorded('disableKey', call, key),
  listModels: async () => [
    {
      id: 'flux',
      version: 3,
      name: 'FLUX',
      modes: ['text'],
      prices: { '1K': '0.03' },
      parameters: ['seed'],
      source: 'operator',
      routes: 1,
      locked: null,
    },
  ],
  exportModels: async () => ({ models: [] }),
  margins: async (query) => {
    const figures = {
      ...{ images: 12, revenue: '0.48', cost: '0.20', cost_without_revenue: '0.04', margin: '0.28' },
      ...{ images_without_cost: 2, unknown_attempts: 1, possible_cost: '0.02' },
    };
    const { from = '2026-11-20', to = '2026-11-20' } = query ?? {};
    const data = [{ day: '2026-11-20', model: 'flux', ...figures }];
    return { from, to, currency: 'USD', data, left_out: 0, total: figures };
  },
  marginAlerts: async () => [
    {
      ...{ model: 'flux', alert: 'below_cost' as const, images: 12 },
      ...{ revenue_per_image: '0.04', cost_per_image: '0.05', cost_before: null },
    },
  ],
  owed: async (query) => {
    const none = { voucher: '0.00', given: '0.00', refunded: '0.00', taken: '0.00' };
    const data = [{ day: '2026-11-20', sold: '10.00', ...none, captured: '-0.12', owed: '9.88' }];
    return recorded('owed', query, {
      ...{ from: '2026-11-20', to: '2026-11-20', currency: 'USD', data, erased: '0.50' },
    });
  },
  owedTable: async () => 'day,owed',
  readInstallationStatement: async (month) =>
    recorded('readInstallationStatement', month, {
      ...statement,
      lines: [{ kind: 'sold' as const, model: null, entries: 1, amount: '10.00' }],
    }),
  installationStatementTable: async () => 'item,model,entries,amount',
  getBrand: async () => (isEmpty ? { ...brand, version: 0, name: null } : brand),
  saveBrand: async (call) => recorded('saveBrand', call, brand),
  checkBill: async (call) => recorded('checkBill', call, billCheck),
  listRates: async () => recorded('listRates', null, rates),
  saveRate: async (call) => recorded('saveRate', call, rates),
  applyModels: async (call) =>
    recorded('applyModels', call, {
      applied: call.apply === true,
      differences: [{ model: 'flux', action: 'change', changes: { name: '"FLUX" → "FLUX.1"' } }],
      uncovered: ['flux: nobody makes any ratio at 4K, whatever the inputs'],
    }),
  modelHistory: async () => [],
  restoreModel: async (id, version) => recorded('restoreModel', { id, version }, undefined),
  removeModel: async (id) => recorded('removeModel', id, undefined),
  addConnection: async (name, { key: _key, ...call }) =>
    recorded(
      'addConnection',
      { name, ...call },
      { ...connection, name, provider: call.provider, base_url: call.base_url ?? null },
    ),
  listConnections: async () => [connection],
  checkConnection: async (name) =>
    recorded('checkConnection', name, { ok: true, base_url: null, models: [{ id: 'flux-dev' }] }),
  removeConnection: async (name) => recorded('removeConnection', name, undefined),
  listPauses: async () => [],
  pause: async (scope, call) => recorded('pause', { scope, ...call }, undefined),
  resume: async (scope) => recorded('resume', scope, undefined),
  status: async () => ({
    version: '0.2.0',
    database: 'sqlite',
    storage: 'disk',
    pauses: isEmpty ? [] : [{ scope: 'pro', reason: 'provider is down', until: createdAt, since: createdAt }],
    queued: 3,
    processing: 1,
    resting: 2,
    oldest_queued_ms: 125_000,
    waiting: isEmpty ? [] : [{ model: 'nb', jobs: 5, reason: 'all workers are busy' }],
    workers: isEmpty ? [] : [{ worker: 'one:7:abc', slots: 64, jobs: 0 }],
    processes: [
      { process: 'one:7:abc', role: 'all', version: isEmpty ? '0.2.0' : '0.1.9', started_at: createdAt },
    ],
    accounts: 1,
    routes: [
      { ...status, running: 1, state: 'closed', until: null, reason: null },
      { ...status, running: 0, state: 'open', until: createdAt, reason: 'unavailable' },
    ],
  }),
  routes: async (call) => recorded('routes', call, { routes: [route], uncovered: ['nb: nobody makes 1:1'] }),
  selfCheck: async () => ({ ok: true, complete: true, checked, violations: [], ms: 4 }),
  listMembers: async () => [],
  changeMemberRole: async () => [],
  removeMember: async () => {},
  deletePerson: async (person) => recorded('deletePerson', person, undefined),
  listInvitations: async () => [],
  inviteMember: async () => invitation,
  renewInvitation: async () => invitation,
  revokeInvitation: async () => {},
  getEndpoint: async (account, endpointId) =>
    recorded('getEndpoint', { account, endpointId }, { ...webhook, hours: [] }),
  replaceEndpoint: async (account, endpointId, call) =>
    recorded(
      'replaceEndpoint',
      { account, endpointId, ...call },
      { ...webhook, url: call.url, cancelled_deliveries: 2 },
    ),
  revealEndpointSecret: async (account, endpointId) =>
    recorded('revealEndpointSecret', { account, endpointId }, signing),
  rotateEndpointSecret: async (account, endpointId, call) =>
    recorded('rotateEndpointSecret', { account, endpointId, ...call }, signing),
  listEndpoints: async (account) => recorded('listEndpoints', { account }, isEmpty ? [] : [webhook]),
  addEndpoint: async (account, call) =>
    recorded(
      'addEndpoint',
      { account, ...call },
      { ...webhook, url: call.url, is_default: false, secret: 'whsec_new' },
    ),
  changeEndpoint: async (account, id, call) =>
    recorded('changeEndpoint', { account, endpointId: id, ...call }, { ...webhook, cancelled_deliveries: 2 }),
  removeEndpoint: async (account, id) => recorded('removeEndpoint', { account, endpointId: id }, undefined),
  testEndpoint: async (account, endpointId, call) => {
    const ok = call?.url === undefined;
    const outcome = ok
      ? { ok, status: 204, failure: null }
      : { ok, status: null, failure: 'connect_refused' as const };
    const url = call?.url ?? webhook.url;
    return recorded(
      'testEndpoint',
      { account, endpointId, ...call },
      {
        ...outcome,
        url,
        ...{ webhook_id: 'evt_test', attempt: 1, at: createdAt },
        duration_ms: 12,
        answer: null,
      },
    );
  },
  listDeliveries: async (account, call) =>
    recorded('listDeliveries', { account, ...call }, pageOf(isEmpty ? [] : [delivery])),
  replayDeliveries: async (account, call) =>
    recorded('replayDeliveries', { account, ...call }, { replayed: isEmpty ? 0 : 3 }),
};

Object.assign(DarkroomAdmin.prototype, calls);

const operator: Operator = {
  openFetch: async () => fetch,
  createAdminKey: async (name, call) =>
    recorded(
      'createAdminKey',
      { name, ...call },
      { key: 'dka_secret', key_id: keyId, name, scopes: ['read'], networks: null, expires_at: null },
    ),
  readSecretLoss: async () => (isEmpty ? null : loss),
  resetSecret: async () => recorded('resetSecret', null, isEmpty ? null : loss),
  listAdminKeys: async () => [],
  disableAdminKey: async (call) => recorded('disableAdminKey', call, { key_id: keyId, name: 'billing' }),
  verify: async (how) =>
    recorded(
      'verify',
      how,
      isEmpty
        ? { ok: true, checked, violations: [] }
        : { ok: false, checked, violations: [{ invariant: 'I2', detail: 'Account demo is off by 0.02.' }] },
    ),
  panelLink: async (person) =>
    recorded('panelLink', person, {
      url: 'http://127.0.0.1:3000/open#token',
      expires_at: '2026-11-21T00:00:00.000Z',
    }),
  adoptStore: async (call) => recorded('adoptStore', call, { installation: keyId, jobs: [] }),
  [Symbol.asyncDispose]: async () => record('close', undefined),
};

export async function backUpDatabase(_env: NodeJS.ProcessEnv, file: string) {
  return recorded('backup', file, { file, bytes: 2048 });
}

export async function openOperator(env: NodeJS.ProcessEnv): Promise<Operator> {
  // Named, because the command distinguishes errors by name.
  if (env.FAKE_FAILURE !== undefined)
    throw Object.assign(new Error(`${env.FAKE_FAILURE} here.`), { name: env.FAKE_FAILURE });
  if (env.FAKE_DOWN !== undefined)
    throw new AppError('database_unavailable', 'The database does not answer.');
  return operator;
}

class AppError extends Error {
  override name = 'AppError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

function recorded<Result>(method: string, call: unknown, result: Result): Result {
  record(method, call);
  return result;
}

function record(method: string, call: unknown): void {
  appendFileSync(process.env.FAKE_CALLS ?? '', `${JSON.stringify([method, call])}\n`);
}
