import type { FastifyReply, FastifyRequest } from 'fastify';
import { accountOf, livingAccountOf } from '../../accounts/account-of.ts';
import { accountDisabled } from '../../accounts/disable-account.ts';
import { findMembership } from '../../accounts/people/people-store.ts';
import { isOfOperators, type Right, rightsOf } from '../../accounts/people/roles.ts';
import type { Auth } from '../../accounts/sign-in/auth.ts';
import { clientAddressHeader } from '../../accounts/sign-in/auth-names.ts';
import { assertSecondFactor, type SecondFactorPolicy } from '../../accounts/sign-in/second-factor.ts';
import { noSession, readSession, type Viewer } from '../../accounts/sign-in/sessions.ts';
import type { Database } from '../../base/db/database.ts';
import { assertOwnOrigin } from '../../base/http/own-origin.ts';
import { isUuid } from '../../base/std/ids.ts';
import { AppError } from '../../errors.ts';

export interface SessionDeps {
  database: Database;
  auth(): Promise<Auth>;
  publicUrl(): string;
  secondFactor: SecondFactorPolicy;
}

/** The header of requests that use a session's cookie instead of a key. Other sites' forms cannot send it. */
const panelHeader = 'darkroom-panel';
const accountHeader = 'darkroom-account';

/** Whether a request wants to use its session. A cookie does not say so, because browsers always send it. */
export function isFromPanel({ headers }: FastifyRequest): boolean {
  return headers[panelHeader] !== undefined && headers.authorization === undefined;
}

/** Whether the query names the account, as pages' links do. This is safe: other sites cannot read the answer. */
export function namesAccount({ headers, query }: FastifyRequest): boolean {
  return headers.authorization === undefined && (query as { account?: unknown }).account !== undefined;
}

/** Returns the id of a page's account in lowercase, as pauses and policies spell it; empty if the page names none. */
export function namedAccount({ headers, query }: FastifyRequest): string {
  return String(headers[accountHeader] ?? (query as { account?: unknown }).account ?? '').toLowerCase();
}

/**
 * Finds the signed-in person. Requests that change something must come from pages of this server.
 * @throws AppError `session_missing`, `origin_refused`
 */
export async function readViewer(
  deps: Pick<SessionDeps, 'database' | 'auth' | 'publicUrl'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Viewer> {
  if (isChange(request)) assertOwnOrigin(request, deps.publicUrl());
  const session = await readSession(deps, sessionHeaders(request));
  if (!session) throw noSession();
  addCookies(reply, session.cookies);
  return session.viewer;
}

/**
 * Checks that a person may use an account. To people outside an account, except operators, it looks missing. Members
 * may read a disabled account but not change it.
 * @throws AppError `second_factor_required`, `not_found`, `account_disabled`, `operator_required`, `role_forbidden`;
 * `invalid_request` for a change to an erased account
 */
export async function enterAccount(
  { database, secondFactor }: Pick<SessionDeps, 'database' | 'secondFactor'>,
  request: FastifyRequest,
  { viewer, accountId, right }: { viewer: Viewer; accountId: string; right: Right },
): Promise<readonly Right[]> {
  assertSecondFactor(secondFactor, viewer);
  if (!isUuid(accountId)) throw noSuchAccount();
  const membership = await findMembership(database.read, { accountId, personId: viewer.personId });
  if (!viewer.operator) {
    if (!membership) throw noSuchAccount();
    if (membership.disabledAt !== null && isChange(request)) throw accountDisabled();
  }
  const rights = assertMay(right, { operator: viewer.operatorRole, member: membership?.role ?? null });
  if (isChange(request)) await livingAccountOf(database.read, accountId);
  else if (!membership) await accountOf(database.read, accountId);
  return rights;
}

/** @throws AppError `second_factor_required`, `operator_required`, `role_forbidden` */
export function enterInstallation(
  { secondFactor }: Pick<SessionDeps, 'secondFactor'>,
  request: FastifyRequest,
  { viewer, right = installationRight(request.method) }: { viewer: Viewer; right?: Right | undefined },
): readonly Right[] {
  assertSecondFactor(secondFactor, viewer);
  if (!viewer.operator) throw new AppError('operator_required', 'Only operators may do this.');
  return assertMay(right, { operator: viewer.operatorRole, member: null });
}

/** The role `support` may read the installation, but not change it. */
export function installationRight(method: string): Right {
  return isRead(method) ? 'see_installation' : 'operate';
}

/** Passes on only the headers that the library needs, because it would trust any header. */
export function sessionHeaders(request: FastifyRequest): Headers {
  const headers = new Headers({ [clientAddressHeader]: request.clientAddress });
  for (const name of ['cookie', 'user-agent', 'accept-language'] as const) {
    const value = request.headers[name];
    if (value !== undefined) headers.set(name, value);
  }
  return headers;
}

export function addCookies(reply: FastifyReply, cookies: readonly string[]): void {
  for (const line of cookies) reply.header('set-cookie', line);
}

function assertMay(right: Right, who: Parameters<typeof rightsOf>[0]): readonly Right[] {
  const rights = rightsOf(who);
  if (rights.includes(right)) return rights;
  if (!who.operator && isOfOperators(right))
    throw new AppError('operator_required', 'Only operators may do this.');
  const role = who.member ?? who.operator;
  throw new AppError(
    'role_forbidden',
    `Your role, ${role}, does not allow this. Ask an owner or an operator.`,
  );
}

function noSuchAccount(): AppError {
  return new AppError('not_found', 'There is no such account.');
}

function isChange({ method }: FastifyRequest): boolean {
  return !isRead(method);
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}
