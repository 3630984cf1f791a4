import type { TSchema } from 'typebox';
import { type AdminScope, adminScopes } from '../src/accounts/admin-keys/scopes.ts';
import { memberRoles, operatorRoles, type Right, rightsOf } from '../src/accounts/people/roles.ts';
import { adminCalls } from '../src/web/admin/admin.ts';
import { apiPrefix } from '../src/web/api/api-call.ts';
import { adminPrefix } from '../src/web/api/installation-call.ts';
import { installationRight } from '../src/web/api/sessions.ts';
import { accountRows, apiRows } from '../src/web/api/table.ts';
import { mcpPath } from '../src/web/doors/mcp/mcp-door.ts';
import type { PanelCall } from '../src/web/panel/panel-call.ts';
import { panelCalls } from '../src/web/panel/panel-calls.ts';
import type { RegisteredCall } from '../test/http/support/registered-calls.ts';
import { type CallerName, callerNames, onOtherPages } from './callers.ts';

export const families = ['api', 'admin', 'panel', 'openai', 'gemini', 'mcp', 'open'] as const;
export type Family = (typeof families)[number];

export interface Call extends RegisteredCall {
  /** `GET /api/v1/jobs` */
  name: string;
  family: Family;
  reads: boolean;
  body: TSchema | undefined;
  query: TSchema | undefined;
  /** The callers that the call's table admits; undefined if no table has the call. */
  declared: ReadonlySet<CallerName> | undefined;
}

type Declaration = Pick<Call, 'body' | 'query' | 'declared'>;

/** Describes the registered calls. The server answers HEAD for every GET, except in MCP. */
export function describeCalls(registered: readonly RegisteredCall[]): Call[] {
  const tables = readTables();
  return registered.flatMap((call) => {
    const { body, query, declared } = tables.get(`${call.method} ${call.url}`) ?? {};
    const reads = call.method === 'GET';
    return (reads && call.url !== mcpPath ? ['GET', 'HEAD'] : [call.method]).map((method) => {
      const name = `${method} ${call.url}`;
      return { ...call, method, name, family: familyOf(call), reads, body, query, declared };
    });
  });
}

function familyOf({ url, method }: RegisteredCall): Family {
  if (url.endsWith('/openapi.json')) return 'open';
  if (url.startsWith(apiPrefix)) return 'api';
  if (url.startsWith(adminPrefix)) return 'admin';
  if (url.startsWith('/panel/auth/')) return 'open';
  if (url.startsWith('/panel/')) return 'panel';
  if (/^\/(v1|v1beta)\/interactions/.test(url)) return 'gemini';
  if (url.startsWith('/v1beta/') || (url === '/v1/models/:call' && method === 'POST')) return 'gemini';
  if (url.startsWith('/v1/')) return 'openai';
  return url === mcpPath ? 'mcp' : 'open';
}

function readTables(): Map<string, Declaration> {
  const api = apiRows({} as Parameters<typeof apiRows>[0]);
  const admin = adminCalls({} as Parameters<typeof adminCalls>[0]);
  const shared = accountRows({} as Parameters<typeof accountRows>[0]);
  const panel = panelCalls({ installation: {} } as Parameters<typeof panelCalls>[0]);
  return new Map<string, Declaration>([
    ...api.map(({ method, path, access, right, call: { body, query } }): [string, Declaration] => [
      `${method} ${apiPrefix}${path}`,
      {
        ...{ body, query },
        declared: new Set([
          ...ofApi[access],
          ...(right === null ? [] : inAccount(method, right, ['members', 'operators'])),
        ]),
      },
    ]),
    ...admin.map(({ method, path, scope, right, call: { body, query } }): [string, Declaration] => [
      `${method} ${adminPrefix}${path}`,
      {
        ...{ body, query },
        declared: new Set([
          ...withScopes(method === 'GET' ? [scope, 'read'] : [scope]),
          ...inAccount(method, right ?? installationRight(method), ['operators']),
        ]),
      },
    ]),
    ...panel.map((call): [string, Declaration] => [
      `${call.method} ${call.path}`,
      { body: call.body, query: call.query, declared: new Set(inPanel(call)) },
    ]),
    ...shared.map(({ method, path, access, call: { body, query } }): [string, Declaration] => [
      `${method} ${apiPrefix}${path}`,
      {
        ...{ body, query },
        declared: new Set([
          ...(access.byKeys ? ofApi['any key'] : []),
          ...inAccount(method, access.right, ['members', 'operators']),
        ]),
      },
    ]),
  ]);
}

const ofApi: Record<ReturnType<typeof apiRows>[number]['access'], CallerName[]> = {
  'any key': ['key', 'other key', 'key of nb'],
  'any key or token': ['key', 'other key', 'key of nb', 'token'],
  // No path of the harness names the model `nb`, to which `key of nb` is limited.
  'its model': ['key', 'other key', 'token'],
};

function withScopes(scopes: readonly AdminScope[]): CallerName[] {
  return adminScopes.filter((scope) => scopes.includes(scope)).map((scope) => `admin ${scope}` as const);
}

const operators = operatorRoles.map((role) => `operator ${role}` as const);
const members: CallerName[] = [...memberRoles, 'owner without origin', 'owner on another page'];

function isTold(method: string, name: CallerName): boolean {
  return method === 'GET' || !onOtherPages.includes(name);
}

/**
 * Returns the callers that may make a panel call about the account `mine`. Pages of other sites may send reads, because
 * they cannot read the answer.
 */
function inPanel(call: PanelCall): CallerName[] {
  const canAsk = (name: CallerName) => isTold(call.method, name);
  if (call.access === 'anyone') return callerNames.filter(canAsk);
  if (call.access === 'person') return [...members, 'other owner' as const, ...operators].filter(canAsk);
  const who = call.access === 'account' ? (['members', 'operators'] as const) : (['operators'] as const);
  return 'right' in call ? inAccount(call.method, call.right, who) : [];
}

function inAccount(method: string, right: Right, who: readonly ('members' | 'operators')[]): CallerName[] {
  return [...(who.includes('members') ? members : []), ...operators].filter((name) => {
    const operator = operatorRoles.find((one) => `operator ${one}` === name) ?? null;
    const member = operator ? null : (memberRoles.find((one) => one === name) ?? 'owner');
    return isTold(method, name) && rightsOf({ operator, member }).includes(right);
  });
}
