import type { FastifyRequest } from 'fastify';
import type { AdminKey } from '../accounts/admin-keys/admin-key-store.ts';
import { assertScope, authenticateAdmin } from '../accounts/admin-keys/authenticate-admin.ts';
import { adminScopes } from '../accounts/admin-keys/scopes.ts';
import { schemaOf } from '../api/describe-call.ts';
import type { RefuseKey } from '../api/refuse-key.ts';
import type { PlacedCall } from '../api/register-calls.ts';
import { type Actor, adminKeyActor } from '../audit/audit-store.ts';
import type { Database } from '../db/database.ts';
import { bearerToken } from '../http/bearer.ts';
import type { OperatorVerbs } from '../operator/verbs.ts';
import type { Clock } from '../std/clock.ts';
import { type AdminRequest, type AdminRow, adminPrefix } from './admin-call.ts';

export interface PlaceAdminDeps {
  database: Database;
  clock: Clock;
  refuseKey: RefuseKey;
  verbsBy(actor: Actor): OperatorVerbs;
}

/** A model may bring a whole workflow of ComfyUI. */
const maxValues = 20_000;

/** Where admin keys make a call. */
export function placeAdmin(row: AdminRow, deps: PlaceAdminDeps): PlacedCall {
  const { method, path, call } = row;
  const keys = new WeakMap<FastifyRequest, AdminKey>();
  return {
    method,
    url: adminPrefix + path,
    schema: describeAdminCall(row),
    body: call.body,
    query: call.query,
    maxValues,
    async admit(request) {
      const key = await authenticate(deps, request);
      assertScope(key, scopesFor(row));
      keys.set(request, key);
    },
    async handle(request, reply) {
      const answer = await call.handle(
        toAdminRequest(deps, request, keys.get(request)),
        reply.code(call.status),
      );
      return answer === undefined ? reply.send() : answer;
    },
  };
}

/** As the framework and the OpenAPI document take it. */
export function describeAdminCall(row: AdminRow) {
  const needed = `Needs the scope ${scopesFor(row)
    .map((scope) => `\`${scope}\``)
    .join(' or ')}.`;
  const { description } = row.call;
  const call = {
    ...row.call,
    description: description === undefined ? needed : `${description} ${needed}`,
  };
  return schemaOf(call, ['scope_required']);
}

function scopesFor({ method, scope }: AdminRow) {
  return adminScopes.filter((one) => one === scope || (one === 'read' && method === 'GET'));
}

async function authenticate(deps: PlaceAdminDeps, request: FastifyRequest): Promise<AdminKey> {
  try {
    return await authenticateAdmin(deps, bearerToken(request, 'admin'), request.clientAddress);
  } catch (error) {
    throw deps.refuseKey(error, request);
  }
}

function toAdminRequest(
  { verbsBy }: PlaceAdminDeps,
  raw: FastifyRequest,
  adminKey: AdminKey | undefined,
): AdminRequest {
  if (!adminKey) throw new Error('a request came in without a key');
  const by = adminKeyActor(adminKey, raw.clientAddress);
  const { body, params, query } = raw as Pick<AdminRequest, 'body' | 'params' | 'query'>; // the schemas have validated them
  return { body, params, query, adminKey, by, verbs: verbsBy(by), raw };
}
