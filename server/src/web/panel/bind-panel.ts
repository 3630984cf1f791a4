import type { FastifyReply, FastifyRequest } from 'fastify';
import { livingAccountOf } from '../../accounts/account-of.ts';
import type { Auth } from '../../accounts/sign-in/auth.ts';
import type { SecondFactorPolicy } from '../../accounts/sign-in/second-factor.ts';
import type { Viewer } from '../../accounts/sign-in/sessions.ts';
import type { Browser } from '../../accounts/sign-in/sign-in.ts';
import { watchSignIns } from '../../accounts/sign-in/watch-sign-ins.ts';
import type { Database } from '../../base/db/database.ts';
import { maxAnonymousBytes } from '../../base/http/json-body.ts';
import { assertOwnOrigin } from '../../base/http/own-origin.ts';
import { closedQuery } from '../../base/http/schemas.ts';
import type { Log } from '../../base/std/log.ts';
import type { BoundCall } from '../api/register-calls.ts';
import { enterAccount, enterInstallation, readViewer, sessionHeaders } from '../api/sessions.ts';
import type { PanelCall, PanelRequest } from './panel-call.ts';
import { readCookie } from './people/session-cookies.ts';

export interface BindPanelDeps {
  database: Database;
  auth(): Promise<Auth>;
  publicUrl(): string;
  log: Log;
  installation: { secondFactor: SecondFactorPolicy };
}

/** The maximum number of values in a body, enough for a model with a whole ComfyUI workflow. */
const maxOperatorValues = 20_000;

export function bindPanel(call: PanelCall, deps: BindPanelDeps): BoundCall {
  const { method, path, access, body, query } = call;
  const viewers = new WeakMap<FastifyRequest, Viewer>();
  return {
    method,
    url: path,
    schema: { hide: true, ...(body && { body }), querystring: closedQuery(query) },
    body,
    query,
    bodyLimit: access === 'anyone' ? maxAnonymousBytes : undefined,
    maxValues: access === 'operator' ? maxOperatorValues : undefined,
    async admit(request, reply) {
      if (access !== 'anyone') viewers.set(request, await admit(deps, call, request, reply));
      else if (method !== 'GET') assertOwnOrigin(request, deps.publicUrl());
    },
    async handle(request, reply) {
      const asked = toPanelRequest(request, reply, {
        publicUrl: deps.publicUrl(),
        viewer: viewers.get(request),
      });
      const answer = await watchSignIns(deps, asked.browser.address, () => call.handle(asked));
      if (answer === null) return reply.code(204).send();
      return answer;
    },
  };
}

/** Calls about oneself need no second factor, because people use them to set it up. */
async function admit(
  deps: BindPanelDeps,
  call: PanelCall,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Viewer> {
  const viewer = await readViewer(deps, request, reply);
  const { secondFactor } = deps.installation;
  const { account_id: accountId } = request.params as { account_id?: string }; // some paths have it
  if (call.access === 'operator') {
    enterInstallation({ secondFactor }, request, { viewer });
    if (accountId !== undefined && call.method !== 'GET')
      await livingAccountOf(deps.database.read, accountId);
  }
  if (call.access === 'account') {
    const asked = { viewer, accountId: accountId ?? '', right: call.right };
    await enterAccount({ ...deps, secondFactor }, request, asked);
  }
  return viewer;
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
  } as PanelRequest<never>; // the schemas have validated it by now
}

function browserOf(request: FastifyRequest, publicUrl: string): Browser {
  return {
    headers: sessionHeaders(request),
    address: request.clientAddress,
    device: readCookie(request, 'device', publicUrl),
    challenge: readCookie(request, 'code_for', publicUrl),
    passkey: readCookie(request, 'passkey_for', publicUrl),
    stranger: readCookie(request, 'stranger', publicUrl),
  };
}
