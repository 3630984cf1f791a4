import type { PanelCallName } from '../../src/panel/contract.ts';

/** Commands that run a server, each with the calls of `/admin/v1` by which it works from elsewhere. */
export const ofCommands: Record<string, string | readonly string[]> = {
  'account create': 'createAccount',
  'account list': 'listAccounts',
  'account credit': 'creditAccount',
  'account debit': 'debitAccount',
  'account limits': ['getAccountLimits', 'changeAccountLimits'],
  'account alerts': ['getAccountAlerts', 'changeAccountAlerts'],
  'account retention': ['getRetention', 'changeRetention'],
  'account statement': ['getStatement', 'getStatementTable'],
  'account export': 'exportAccount',
  'account erase': 'eraseAccount',
  'person delete': 'deletePerson',
  'key create': 'createKey',
  'key list': 'listKeys',
  'key disable': 'disableKey',
  'key limits': ['getKeyLimits', 'changeKeyLimits'],
  'key networks': 'changeKey',
  'webhook set': ['replaceEndpoint', 'revealEndpointSecret'],
  'webhook show': ['listEndpoints', 'revealEndpointSecret'],
  'webhook rotate': 'rotateEndpointSecret',
  'webhook test': 'testEndpoint',
  'webhook list': 'listDeliveries',
  'webhook replay': 'replayDeliveries',
  'webhook endpoints': 'listEndpoints',
  'webhook add': 'addEndpoint',
  'webhook change': 'changeEndpoint',
  'webhook remove': 'removeEndpoint',
  'connection add': 'saveConnection',
  'connection list': 'listConnections',
  'connection check': 'checkConnection',
  'connection remove': 'removeConnection',
  'models apply': 'applyModels',
  'models export': 'exportModels',
  'models list': 'listModels',
  'models history': 'listModelVersions',
  'models margins': 'getMargins',
  'models remove': 'removeModel',
  'models restore': 'restoreModel',
  pause: 'pause',
  resume: 'resume',
  status: 'getStatus',
  routes: 'getRoutes',
  verify: 'selfCheck',
};

/** Commands that have no call, and why. */
export const onlyOnTheMachine: Record<string, string> = {
  serve: 'starts the server',
  migrate: 'prepares the database before the server starts',
  backup: 'writes a file on the machine',
  'adopt-store': 'decides whose the images are, with the database and the store at hand',
  'secret reset': 'goes on with the secret of the machine that it runs on',
  'panel-link': 'makes an operator: a key that leaks must not make one',
  'admin-key create': 'a key that leaks must not make another',
  'admin-key list': 'keys say nothing of each other',
  'admin-key disable': 'a key that leaks must not end the others',
};

type Changing = Extract<PanelCallName, `POST /panel/accounts/${string}`>;
type OfOperators = Extract<PanelCallName, `${string} /panel/operator/${string}`>;

const operators = {
  not: 'operators are made on the machine and in the panel: a key that leaks must not make one',
};
const helper = { not: 'helps to write a definition, which applyModels takes' };
const clients = { not: 'a client makes pictures, with a key of the account' };

/** What operators do in the panel, each with its call of `/admin/v1`. A call of the panel without a row does not compile. */
export const ofPanel: Record<OfOperators | Changing, string | { not: string }> = {
  'POST /panel/operator/invitations/:invitation_id/revoke': operators,
  'POST /panel/operator/invitations/:invitation_id/renew': operators,
  'GET /panel/operator/operators': operators,
  'POST /panel/operator/operators/invite': operators,
  'POST /panel/operator/operators/:person_id/remove': operators,
  'POST /panel/operator/people/:person_id/confirm-email': { not: 'opens accounts by single sign-on' },
  'POST /panel/operator/people/:person_id/link': { not: 'signs in as a person, who may be an operator' },
  'GET /panel/operator/system': 'getStatus',
  'GET /panel/operator/audit/choices': { not: 'fills a menu' },
  'GET /panel/operator/audit.csv': 'listAuditEntries',
  'GET /panel/operator/audit.jsonl': 'listAuditEntries',
  'GET /panel/operator/models': 'listModels',
  'GET /panel/operator/models/:model_id': 'exportModels',
  'GET /panel/operator/connections': 'listConnections',
  'POST /panel/operator/connections/try': 'checkConnection',
  'POST /panel/operator/connections/:name/offers': 'checkConnection',
  'POST /panel/operator/connections/:name/serve': helper,
  'POST /panel/operator/connections/:name/models': helper,
  'POST /panel/operator/connections/:name/workflow': helper,
  'POST /panel/operator/connections/:name/workflow-models': helper,
  'POST /panel/accounts/:account_id/grants': { not: 'lets a program in for the person who is asked' },
  'POST /panel/accounts/:account_id/input-preview': clients,
};
