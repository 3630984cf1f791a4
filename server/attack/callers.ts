import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AdminScope, adminScopes } from '../src/accounts/admin-keys/scopes.ts';
import { memberRoles, operatorRoles } from '../src/accounts/people/roles.ts';
import { addPerson } from '../test/panel/browser.ts';
import { bodyOf, type Furnished, furnish, type Ids, page, type Site, signIn } from './furnish.ts';
import { send } from './send.ts';

export const callerNames = [
  ...(['nobody', 'nonsense'] as const),
  ...(['key', 'other key', 'key of nb', 'key from elsewhere', 'expired key', 'disabled key'] as const),
  ...(['key of a disabled account', 'token', 'token elsewhere', 'expired token'] as const),
  ...adminScopes.map((scope) => `admin ${scope}` as const),
  ...(['expired admin', 'disabled admin'] as const),
  ...memberRoles,
  'other owner',
  ...operatorRoles.map((role) => `operator ${role}` as const),
  ...(['ended session', 'owner without origin', 'owner on another page'] as const),
] as const;
export type CallerName = (typeof callerNames)[number];

export const onOtherPages: readonly CallerName[] = [
  ...(['owner without origin', 'owner on another page', 'token', 'token elsewhere'] as const),
];

export interface Caller {
  name: CallerName;
  headers: Record<string, string>;
  /** Ids for the paths of the caller's calls: its own things, or things out of its reach. */
  ids: Ids;
}

export interface Cast {
  callers: ReadonlyMap<CallerName, Caller>;
  mine: Furnished;
  others: Furnished;
}

/** Creates two accounts with data, and every caller. @param site a server that runs jobs */
export async function openCast(site: Site): Promise<Cast> {
  // This connection has the name of a model, because other APIs have model names in their paths.
  await site.operator.addConnection('nb', { provider: 'comfyui', base_url: 'http://127.0.0.1:8188' });
  const mine = await furnish(site, 'mine');
  const others = await furnish(site, 'others');
  const callers = new Map<CallerName, Caller>();
  const add = (name: CallerName, headers: Record<string, string>, ids: Ids = mine.ids) =>
    callers.set(name, { name, headers, ids });
  add('nobody', { origin: site.url });
  add('nonsense', bearer('nonsense', site.url));
  await addKeys(site, { mine, others }, add);
  await addTokens(site, mine, add);
  await addAdminKeys(site, add);
  await addSessions(site, { mine, others }, add);
  for (const [name, path] of ending) await untilRefused(site.url, callers.get(name), path);
  return { callers, mine, others };
}

/** Callers whose key or token expires soon, each with a call that shows the expiry. */
const ending = [
  ['expired key', '/api/v1/balance'],
  ['expired token', '/api/v1/balance'],
  ['expired admin', '/admin/v1/accounts'],
] as const;

async function untilRefused(url: string, caller: Caller | undefined, path: string): Promise<void> {
  assert.ok(caller);
  while ((await send(url, { method: 'GET', path, headers: caller.headers })).status !== 401) await sleep(50);
}

type Add = (name: CallerName, headers: Record<string, string>, ids?: Ids) => void;

const bearer = (key: string, origin: string) => ({ authorization: `Bearer ${key}`, origin });
/** Seconds. */
const shortly = 1;

async function addKeys(
  { operator, url }: Site,
  { mine, others }: Pick<Cast, 'mine' | 'others'>,
  add: Add,
): Promise<void> {
  const { account } = mine.ids;
  assert.ok(account);
  const made = async (more: Parameters<typeof operator.createKey>[1]) => operator.createKey(account, more);
  add('key', bearer(mine.key, url));
  add('other key', bearer(others.key, url), others.ids);
  add('key of nb', bearer((await made({ models: ['nb'] })).key, url));
  add('key from elsewhere', bearer((await made({ networks: ['203.0.113.0/24'] })).key, url));
  add('expired key', bearer((await made({ expires_in: shortly })).key, url));
  const disabled = await made({});
  await operator.disableKey(disabled.key_id);
  add('disabled key', bearer(disabled.key, url));
  const { account_id: gone } = await operator.createAccount({ name: 'gone' });
  const { key } = await operator.createKey(gone);
  await operator.disableAccount(gone, { reason: 'unpaid' });
  add('key of a disabled account', bearer(key, url));
}

async function addTokens({ url }: Site, mine: Furnished, add: Add): Promise<void> {
  add('token', bearer(mine.token, page), mine.idsOfToken);
  add('token elsewhere', bearer(mine.token, 'https://evil.example'), mine.idsOfToken);
  const { token } = bodyOf(
    await send(url, {
      ...{ method: 'POST', path: '/api/v1/client-tokens', body: JSON.stringify({ expires_in: shortly }) },
      headers: { authorization: `Bearer ${mine.key}`, 'content-type': 'application/json' },
    }),
  );
  add('expired token', bearer(String(token), url), mine.idsOfToken);
}

async function addAdminKeys({ operator, url }: Site, add: Add): Promise<void> {
  for (const scope of adminScopes)
    add(`admin ${scope}`, bearer((await operator.createAdminKey(scope, { scopes: [scope] })).key, url));
  const scopes: AdminScope[] = [...adminScopes];
  const expired = await operator.createAdminKey('expired', { scopes, expires_in: shortly });
  add('expired admin', bearer(expired.key, url));
  const disabled = await operator.createAdminKey('disabled', { scopes });
  await operator.disableAdminKey('disabled');
  add('disabled admin', bearer(disabled.key, url));
}

async function addSessions(
  { url, database }: Site,
  { mine, others }: Pick<Cast, 'mine' | 'others'>,
  add: Add,
): Promise<void> {
  const world = { app: { database } };
  const asPage = { 'darkroom-panel': '1', 'darkroom-account': mine.accountId };
  const open = async (name: string, as: Omit<Parameters<typeof addPerson>[1], 'email'>) => {
    const email = `${name}@example.com`;
    await addPerson(world, { email, ...as });
    return { ...asPage, cookie: await signIn(url, email), origin: url };
  };
  for (const role of memberRoles) add(role, await open(role, { accountId: mine.accountId, role }));
  add('other owner', await open('other', { accountId: others.accountId, role: 'owner' }), mine.ids);
  for (const role of operatorRoles) add(`operator ${role}`, await open(role, { accountId: null, role }));
  const ended = await open('ended', { accountId: mine.accountId, role: 'owner' });
  bodyOf(await send(url, { method: 'POST', path: '/panel/sign-out', headers: ended }));
  add('ended session', ended);
  const { cookie } = await open('tricked', { accountId: mine.accountId, role: 'owner' });
  add('owner without origin', { ...asPage, cookie });
  add('owner on another page', {
    ...asPage,
    cookie,
    origin: 'https://evil.example',
    'sec-fetch-site': 'cross-site',
  });
}
