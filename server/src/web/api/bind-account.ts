import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type TObject } from 'typebox';
import { proveOneself } from '../../accounts/sign-in/assert-oneself.ts';
import { keyActor } from '../../base/audit/audit-store.ts';
import { bearerToken } from '../../base/http/bearer.ts';
import { AppError } from '../../errors.ts';
import type { AccountCall, AccountRow, Asked, Caller } from './account-call.ts';
import { apiPrefix, statusOf } from './api-call.ts';
import { bindMaking } from './bind-making.ts';
import { checksOf } from './call-schema.ts';
import type { Entrance } from './entrance.ts';
import type { BoundCall } from './register-calls.ts';
import {
  enterAccount,
  isFromPanel,
  namedAccount,
  namesAccount,
  readViewer,
  type SessionDeps,
} from './sessions.ts';
import { isLinked, Streamed } from './streamed.ts';

export interface BindAccountDeps {
  entrance: Entrance;
  sessions: SessionDeps;
}

export function bindOwn(row: AccountRow, deps: BindAccountDeps): BoundCall {
  const { method, path, access, call } = row;
  const callers = new WeakMap<FastifyRequest, Caller>();
  const callerOf = (request: FastifyRequest) => callers.get(request) ?? callerByKey(request);
  return {
    method,
    url: apiPrefix + path,
    schema: checksOf(isLinked(call) ? { ...call, query: withAccount(call.query) } : call),
    body: call.body,
    query: call.query,
    formerNames: call.formerNames,
    maxValues: call.maxValues,
    ...bindMaking(call, apiPrefix, (request) => nameOf(callerOf(request), request)),
    listOf: (request) => callerOf(request).accountId,
    admit(request, reply) {
      if (isFromPanel(request) || (isLinked(call) && namesAccount(request)))
        return callerBySession(deps, request, { reply, row }).then((caller) => callers.set(request, caller));
      const key = deps.entrance.admit(request, reply, bearerToken);
      if (access.byKeys) return key instanceof Promise ? key : undefined;
      return Promise.resolve(key).then(refuseKey);
    },
    handle: (request, reply) => answer(call, callerOf(request), request, reply),
  };
}

async function answer(
  call: AccountCall,
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { body, params, query } = request as Pick<Asked, 'body' | 'params' | 'query'>; // its schemas have validated them
  const given = await call.handle({ ...caller, body, params, query });
  reply.code(statusOf(call));
  if (given instanceof Streamed) return given.send(reply);
  return given;
}

/** Adds the query parameter `account`, with which links name the account. */
function withAccount(query: TObject = Type.Object({})): TObject {
  return { ...query, properties: { ...query.properties, account: Type.String() } };
}

/** Names the owner of idempotency keys: a key, or a person in one account, because a person can have several. */
function nameOf({ accountId, by, isKey }: Caller, { apiKey }: FastifyRequest): string {
  return `${isKey ? apiKey.id : by.personId} of ${accountId}`;
}

/** Gives a key every right except the right to see receivers' secrets. */
function callerByKey({ apiKey }: FastifyRequest): Caller {
  return {
    accountId: apiKey.accountId,
    by: keyActor(apiKey),
    isKey: true,
    may: (right) => right !== 'see_secrets',
  };
}

async function callerBySession(
  { sessions }: BindAccountDeps,
  request: FastifyRequest,
  { reply, row }: { reply: FastifyReply; row: AccountRow },
): Promise<Caller> {
  const viewer = await readViewer(sessions, request, reply);
  const accountId = namedAccount(request);
  const rights = await enterAccount(sessions, request, { viewer, accountId, right: row.access.right });
  return {
    ...{ accountId, by: viewer, may: (right) => rights.includes(right) },
    prove: (password) =>
      proveOneself(sessions.database, { viewer, address: request.clientAddress }, password),
  };
}

function refuseKey(): never {
  throw new AppError(
    'key_forbidden',
    'API keys may not do this: sign in to the panel, or send an admin key to /admin/v1.',
  );
}
