import { adminScopes } from '../../../src/accounts/admin-keys/scopes.ts';
import { adminCalls } from '../../../src/web/admin/admin.ts';
import { apiPrefix } from '../../../src/web/api/api-call.ts';
import { adminPrefix } from '../../../src/web/api/installation-call.ts';
import { accountRows, apiRows } from '../../../src/web/api/table.ts';
import { panelCalls } from '../../../src/web/panel/panel-calls.ts';
import { makeAdminKey } from '../../admin/admin-client.ts';
import { openOperator } from '../../panel/browser.ts';
import { plainPng } from '../../world/provider.ts';
import type { World } from '../../world/world.ts';

export interface Call {
  method: string;
  /** The path with names for its parameters, such as `/api/v1/jobs/:job_id`. */
  route: string;
  path: string;
  query: string[];
  takesFile: boolean;
  headers: Record<string, string>;
}

/** Every call of every API, with a caller that may make it. No handler runs here. */
export async function allCalls(world: World): Promise<Call[]> {
  const browser = await openOperator(world);
  const { key: adminKey } = await makeAdminKey(world, 'all', [...adminScopes]);
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const at = (route: string) => ({ route, path: fill(world, route) });
  const session = {
    ...{ cookie, origin: world.url },
    ...{ 'darkroom-panel': '1', 'darkroom-account': world.accountId },
  };
  return [
    ...accountRows({} as Parameters<typeof accountRows>[0]).map(({ method, path, access, call }) => ({
      ...{ method, ...at(apiPrefix + path), query: namesOf(call.query) },
      headers: access.byKeys ? bearer(world.key) : session,
      takesFile: false,
    })),
    ...apiRows({} as Parameters<typeof apiRows>[0]).map(({ method, path, call }) => ({
      ...{ method, ...at(apiPrefix + path), query: namesOf(call.query), headers: bearer(world.key) },
      takesFile: call.content !== undefined,
    })),
    ...adminCalls({} as Parameters<typeof adminCalls>[0]).map(({ method, path, call }) => ({
      ...{ method, ...at(adminPrefix + path), query: namesOf(call.query), headers: bearer(adminKey) },
      takesFile: false,
    })),
    ...panelCalls({ installation: {} } as Parameters<typeof panelCalls>[0]).map((call) => ({
      ...{ method: call.method, ...at(call.path), query: namesOf(call.query) },
      headers: { cookie, origin: world.url },
      takesFile: false,
    })),
  ];
}

export async function sendCall({ url }: World, { method, path, headers, takesFile }: Call, query: string) {
  const type = takesFile ? 'image/png' : 'application/json';
  const body = takesFile ? new Uint8Array(plainPng(8, 8)) : '{}';
  const response = await fetch(`${url}${path}?${query}`, {
    method,
    headers: { ...headers, ...(method !== 'GET' && { 'content-type': type }) },
    ...(method !== 'GET' && { body }),
  });
  const text = await response.text();
  const { status, headers: answered } = response;
  return { status, headers: answered, body: text.startsWith('{') ? JSON.parse(text) : { text } };
}

const fill = ({ accountId }: World, route: string) =>
  route
    .replace(':account_id', accountId)
    .replace(':account', 'tests')
    .replace(':model/', 'nb2/')
    .replaceAll(/:\w+/g, accountId);
const namesOf = (query: { properties?: object } | undefined) => Object.keys(query?.properties ?? {});
