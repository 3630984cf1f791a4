import { DarkroomAdmin } from '@darkroom/sdk';
import { adminKeyVerbs } from '../../src/accounts/admin-keys/admin-key-verbs.ts';
import { type AdminScope, adminScopes } from '../../src/accounts/admin-keys/scopes.ts';
import { commandLine } from '../../src/base/audit/audit-store.ts';
import type { Reply, World } from '../world/world.ts';

export type SendAdmin = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Reply>;

export async function makeAdminKey(
  { app, clock }: Pick<World, 'app' | 'clock'>,
  name: string,
  scopes: AdminScope[],
  { expiresIn, ...more }: { expiresIn?: number; networks?: string[] } = {},
) {
  const verbs = adminKeyVerbs({ database: app.database, clock }, commandLine);
  return verbs.createAdminKey(name, {
    scopes,
    ...more,
    ...(expiresIn !== undefined && { expires_in: expiresIn }),
  });
}

export async function openAdministration(
  world: Pick<World, 'app' | 'clock' | 'url'>,
): Promise<() => DarkroomAdmin> {
  const { key } = await makeAdminKey(world, `administration ${performance.now()}`, [...adminScopes]);
  // Read for each request: after a restart, the address is different.
  return () => new DarkroomAdmin({ baseUrl: world.url, adminKey: key, maxRetries: 0 });
}

export function adminSender(world: Pick<World, 'url'>, key: string): SendAdmin {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(`${world.url}/admin/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /json$|json;/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== '' ? JSON.parse(text) : { text },
    };
  };
}
