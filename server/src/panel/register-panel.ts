import cookie from '@fastify/cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { livingAccountOf } from '../accounts/account-of.ts';
import { accountDisabled } from '../accounts/disable-account.ts';
import { findMembership } from '../accounts/people/people-store.ts';
import { type MemberRole, type Right, rightsOf } from '../accounts/people/roles.ts';
import type { Auth } from '../accounts/sign-in/auth.ts';
import { clientAddressHeader } from '../accounts/sign-in/auth-names.ts';
import { assertSecondFactor, type SecondFactorPolicy } from '../accounts/sign-in/second-factor.ts';
import { readSession, type Viewer } from '../accounts/sign-in/sessions.ts';
import type { Browser } from '../accounts/sign-in/sign-in.ts';
import { watchSignIns } from '../accounts/sign-in/watch-sign-ins.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { assertJson, maxAnonymousBytes } from '../http/json-body.ts';
import { cursorParameter, type ListCursors, openList } from '../http/list-cursors.ts';
import { assertOwnOrigin } from '../http/own-origin.ts';
import { idempotencyKey } from '../http/request-headers.ts';
import { closedQuery } from '../http/schemas.ts';
import { assertFile, passBodiesOn } from '../http/sent-file.ts';
import { assertQuery } from '../http/validation-errors.ts';
import { isUuid } from '../std/ids.ts';
import type { Log } from '../std/log.ts';
import type { PanelCall, PanelRequest } from './panel-call.ts';
import { readCookie } from './people/session-cookies.ts';
import { rightFor } from './rights.ts';
import { Streamed } from './streamed.ts';

export interface RegisterPanelDeps {
  database: Database;
  auth(): Promise<Auth>;
  publicUrl(): string;
  cursors: ListCursors;
  log: Log;
  installation: { secondFactor: SecondFactorPolicy };
}

/**
 * Registers the panel's calls. Each request is checked for origin, session, rights and body, in this order.
 */
export async function registerPanel(
  server: FastifyInstance,
  routes: readonly PanelCall[],
  deps: RegisterPanelDeps,
): Promise<void> {
  await server.register(async (scope) => {
    await scope.register(cookie);
    for (const route of routes) if (!route.takesFile) registerRoute(scope, route, deps);
    await scope.register(async (files) => {
      passBodiesOn(files);
      for (const route of routes) if (route.takesFile) registerRoute(files, route, deps);
    });
  });
}

/** A model of an operator may bring a whole workflow of ComfyUI. */
const maxOperatorValues = 20_000;

function registerRoute(scope: FastifyInstance, route: PanelCall, deps: RegisterPanelDeps): void {
  const viewers = new WeakMap<FastifyRequest, Viewer>();
  const parameter = cursorParameter(route.query);
  scope.route({
    method: route.method,
    url: route.path,
    ...(route.access === 'anyone' && { bodyLimit: maxAnonymousBytes }),
    ...(route.access === 'operator' && { config: { maxValues: maxOperatorValues } }),
    schema: {
      hide: true,
      ...(route.body && { body: route.body }),
      querystring: closedQuery(route.query),
    } as object,
    async onRequest(request, reply) {
      reply.header('cache-control', 'no-store');
      if (route.method !== 'GET') assertOwnOrigin(request, deps.publicUrl());
      if (route.access !== 'anyone') viewers.set(request, await admit(deps, route, request, reply));
      if (route.body) assertJson(request);
      if (route.takesFile) assertFile(request);
      assertQuery(request);
    },
    async handler(request, reply) {
      const seal = parameter && openList(deps.cursors, request, { parameter });
      const asked = toPanelRequest(request, reply, {
        publicUrl: deps.publicUrl(),
        viewer: viewers.get(request),
      });
      const answer = await watchSignIns(deps, asked.browser.address, () => route.handle(asked));
      if (answer instanceof Streamed) return stream(reply, answer);
      if (answer === null) return reply.code(204).send();
      return seal ? seal(answer) : answer;
    },
  });
}

/**
 * Returns the signed-in person if they may make this call. @throws AppError `session_missing`,
 * `second_factor_required`, `operator_required`, `not_found`; `invalid_request` to change an account that was erased
 */
async function admit(
  deps: RegisterPanelDeps,
  route: PanelCall,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Viewer> {
  const session = await readSession(deps, browserOf(request, deps.publicUrl()).headers);
  if (!session) throw new AppError('session_missing', 'You are not signed in, or your session has ended.');
  addCookies(reply, session.cookies);
  const { viewer } = session;
  // Calls about oneself stay open: they are how a person sets up the second factor.
  if (route.access !== 'person') assertSecondFactor(deps.installation.secondFactor, viewer);
  if (route.access === 'operator' && !viewer.operator)
    throw new AppError('operator_required', 'Only operators may do this.');
  const member = route.access === 'account' ? await findRole(deps.database, viewer, request) : null;
  if (route.access === 'account' || route.access === 'operator')
    assertMay(rightFor(route.method, route.path), { operator: viewer.operatorRole, member });
  const { account_id: accountId } = request.params as { account_id?: string }; // some paths have it
  if (accountId !== undefined && route.method !== 'GET') await livingAccountOf(deps.database.read, accountId);
  return viewer;
}

/**
 * Their role in the account; null for an operator who is no member. Members may read a disabled account but not
 * change it: no key, no secret, no webhook. @throws AppError `not_found`, `account_disabled`
 */
async function findRole(
  database: Database,
  viewer: Viewer,
  request: FastifyRequest,
): Promise<MemberRole | null> {
  const { account_id: accountId } = request.params as { account_id: string }; // the path has it
  if (!isUuid(accountId)) throw noSuchAccount();
  const membership = await findMembership(database.read, { accountId, personId: viewer.personId });
  if (viewer.operator) return membership?.role ?? null;
  if (!membership) throw noSuchAccount();
  if (membership.disabledAt !== null && request.method !== 'GET') throw accountDisabled();
  return membership.role;
}

function noSuchAccount(): AppError {
  return new AppError('not_found', 'There is no such account.');
}

/** @throws AppError `role_forbidden` */
function assertMay(right: Right, who: Parameters<typeof rightsOf>[0]): void {
  if (rightsOf(who).includes(right)) return;
  const role = who.member ?? who.operator;
  throw new AppError(
    'role_forbidden',
    `Your role, ${role}, does not allow this. Ask an owner or an operator.`,
  );
}

function toPanelRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  { publicUrl, viewer }: { publicUrl: string; viewer: Viewer | undefined },
) {
  return {
    params: request.params,
    query: request.query ?? {},
    body: request.body,
    browser: browserOf(request, publicUrl),
    reply,
    get viewer() {
      if (!viewer) throw new Error(`${request.routeOptions.url} is for anyone and asks who it is`);
      return viewer;
    },
    get idempotencyKey() {
      return idempotencyKey(request);
    },
  } as PanelRequest<never>; // the schemas have validated it by now
}

/** No other header is passed on: the library would trust what clients put in them. */
function browserOf(request: FastifyRequest, publicUrl: string): Browser {
  const address = request.clientAddress;
  const headers = new Headers({ [clientAddressHeader]: address });
  for (const name of ['cookie', 'user-agent'] as const) {
    const value = request.headers[name];
    if (value !== undefined) headers.set(name, value);
  }
  return {
    headers,
    address,
    device: readCookie(request, 'device', publicUrl),
    challenge: readCookie(request, 'code_for', publicUrl),
  };
}

export function addCookies(reply: FastifyReply, cookies: readonly string[]): void {
  for (const line of cookies) reply.header('set-cookie', line);
}

function stream(reply: FastifyReply, { download }: Streamed): FastifyReply {
  reply.type(download.mediaType);
  if (download.fileName !== null)
    reply.header('content-disposition', `attachment; filename="${download.fileName}"`);
  return reply.send(download.content);
}
