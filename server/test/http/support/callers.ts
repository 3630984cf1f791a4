import { apiPrefix } from '../../../src/web/api/api-call.ts';
import { accountRows } from '../../../src/web/api/table.ts';
import { makeAdminKey } from '../../admin/admin-client.ts';
import { type Browser, openMember, openOperator } from '../../panel/browser.ts';
import type { World } from '../../world/world.ts';
import type { RegisteredCall } from './registered-calls.ts';
import { bearer } from './requests.ts';

const ofPeople = new Set(
  accountRows({} as Parameters<typeof accountRows>[0])
    .filter(({ access }) => !access.byKeys)
    .map(({ path }) => `${apiPrefix}${path}`),
);

export interface Callers {
  headersFor(call: RegisteredCall): Promise<Record<string, string>>;
  params: Readonly<Record<string, string>>;
}

export async function openCallers(world: World): Promise<Callers> {
  const scopes = ['read', 'accounts', 'money', 'models', 'system'] as const;
  const admin = await makeAdminKey(world, 'every call', [...scopes]);
  const member = await openMember(world, { email: 'every-call@example.com' });
  const operator = await openOperator(world);
  return {
    params: { account_id: world.accountId, model: 'nb2', call: 'nb2:generateContent' },
    async headersFor({ url }) {
      if (url.startsWith('/admin/')) return bearer(admin.key);
      if (url.startsWith('/panel/operator/')) return ofBrowser(operator);
      // Signs out a separate session, so that the others keep theirs.
      if (url === '/panel/sign-out')
        return ofBrowser(await openMember(world, { email: `${performance.now()}@example.com` }));
      if (ofPeople.has(url)) return { ...ofBrowser(operator), ...operator.asPage() };
      return url.startsWith('/panel/') ? ofBrowser(member) : bearer(world.key);
    },
  };

  function ofBrowser({ cookies }: Browser): Record<string, string> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return { cookie, origin: world.url };
  }
}
