import assert from 'node:assert/strict';
import { giveEmail } from '../../src/accounts/people/email-store.ts';
import { hashNewPassword } from '../../src/accounts/people/password.ts';
import {
  addPersonWithPassword,
  insertMember,
  insertOperator,
} from '../../src/accounts/people/people-store.ts';
import { type MemberRole, memberRoles, type OperatorRole } from '../../src/accounts/people/roles.ts';
import { newId } from '../../src/base/std/ids.ts';
import type { AnswerOf, PanelCallName, Session } from '../../src/web/panel/contract.ts';
import type { World } from '../world/world.ts';

export interface PanelReply<Body = Record<string, unknown>> {
  status: number;
  headers: Headers;
  text: string;
  body: Body;
}

export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #world: World;
  readonly #url: string;

  constructor(world: World, url = world.url) {
    this.#world = world;
    this.#url = url;
  }

  nowMs(): number {
    return this.#world.clock.nowMs();
  }

  async send(
    method: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<PanelReply> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(method !== 'GET' && { origin: this.#url }),
        ...(this.cookies.size > 0 && {
          cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        }),
        ...(body !== undefined && { 'content-type': body instanceof Blob ? body.type : 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: body instanceof Blob ? body : JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    const text = await response.text();
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} };
  }

  async call<Call extends PanelCallName>(
    call: Call,
    {
      params = {},
      query = {},
      body,
      headers,
    }: {
      params?: Record<string, string>;
      query?: Record<string, string>;
      body?: unknown;
      headers?: Record<string, string>;
    } = {},
  ): Promise<AnswerOf<Call>> {
    const reply = await this.try(call, { params, query, body, ...(headers && { headers }) });
    assert.ok(reply.status < 300, `${call}: ${reply.status} ${reply.text}`);
    const isJson = /\bjson\b/.test(reply.headers.get('content-type') ?? '');
    return (isJson ? reply.body : reply.status === 204 ? null : reply.text) as AnswerOf<Call>; // the compiler checks that the server keeps to the contract
  }

  async try(
    call: PanelCallName,
    {
      params = {},
      query = {},
      body,
      headers,
    }: {
      params?: Record<string, string>;
      query?: Record<string, string>;
      body?: unknown;
      headers?: Record<string, string>;
    } = {},
  ): Promise<PanelReply> {
    const [method = '', pattern = ''] = call.split(' ');
    const path = pattern.replace(/:([a-z_]+)/g, (_, name) =>
      encodeURIComponent(params[name] ?? this.#defaults(params.account_id)[name] ?? ''),
    );
    const search = new URLSearchParams(query).toString();
    const given = { ...(!pattern.startsWith('/panel/') && this.asPage(params.account_id)), ...headers };
    return this.send(method, search ? `${path}?${search}` : path, { body, headers: given });
  }

  asPage(accountId = this.#world.accountId): Record<string, string> {
    return { 'darkroom-panel': '1', 'darkroom-account': accountId };
  }

  #defaults(accountId = this.#world.accountId): Record<string, string> {
    return { account_id: accountId, account: accountId };
  }

  #keep(line: string): void {
    const [pair = ''] = line.split(';');
    const name = pair.slice(0, pair.indexOf('='));
    const value = pair.slice(pair.indexOf('=') + 1);
    if (value === '' || /max-age=0/i.test(line)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

export const password = 'correct horse battery';

export async function openOperator(world: World): Promise<Browser> {
  const link = world.app.panelLink;
  assert.ok(link);
  const browser = new Browser(world);
  await browser.call('POST /panel/links/open', { body: { token: tokenOf(link) } });
  return browser;
}

export async function openMember(
  world: World,
  {
    email,
    accountId = world.accountId,
    ...more
  }: Omit<NewPerson, 'accountId'> & { accountId?: string | null },
): Promise<Browser> {
  await addPerson(world, { email, accountId, ...more });
  const browser = new Browser(world);
  await browser.call('POST /panel/sign-in', { body: { email, password } });
  return browser;
}

export interface NewPerson {
  email: string;
  /** Null for an operator. */
  accountId: string | null;
  /** The role; by default one with every right. */
  role?: MemberRole | OperatorRole;
  emailConfirmed?: boolean;
}

/** Inserts a person as an accepted invitation would. */
export async function addPerson(
  world: { app: Pick<World['app'], 'database'> },
  { email, accountId, role, emailConfirmed = false }: NewPerson,
): Promise<string> {
  const passwordHash = await hashNewPassword(password, { name: '', email: null });
  const personId = newId(Date.now());
  await world.app.database.transaction(async (tx) => {
    await addPersonWithPassword(tx, { id: personId, name: email, email, at: Date.now(), passwordHash });
    if (emailConfirmed) await giveEmail(tx, personId, email);
    const memberRole = memberRoles.find((one) => one === role);
    if (accountId === null) await insertOperator(tx, personId, role === 'support' ? role : 'admin');
    else await insertMember(tx, { accountId, personId, ...(memberRole && { role: memberRole }) });
  });
  return personId;
}

export function tokenOf(link: string): string {
  return link.split('#')[1] ?? '';
}

export function sessionOf(reply: PanelReply): Session {
  return reply.body as unknown as Session; // by the contract of the calls that return it
}
