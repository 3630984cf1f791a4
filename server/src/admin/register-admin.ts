import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AdminKey } from '../accounts/admin-keys/admin-key-store.ts';
import { assertScope, authenticateAdmin } from '../accounts/admin-keys/authenticate-admin.ts';
import { adminScopes } from '../accounts/admin-keys/scopes.ts';
import type { RefuseKey } from '../api/refuse-key.ts';
import { schemaOf } from '../api/register-api.ts';
import { type Actor, adminKeyActor } from '../audit/audit-store.ts';
import type { Database } from '../db/database.ts';
import { bearerToken } from '../http/bearer.ts';
import { assertJson } from '../http/json-body.ts';
import { cursorParameter, type ListCursors, openList } from '../http/list-cursors.ts';
import { assertQuery } from '../http/validation-errors.ts';
import type { OperatorVerbs } from '../operator/verbs.ts';
import type { Clock } from '../std/clock.ts';
import { type AdminRequest, adminPrefix, type PlacedAdminCall } from './admin-call.ts';

export interface RegisterAdminDeps {
  database: Database;
  clock: Clock;
  refuseKey: RefuseKey;
  cursors: ListCursors;
  verbsBy(actor: Actor): OperatorVerbs;
}

/** A model may bring a whole workflow of ComfyUI. */
const maxValues = 20_000;

/** Registers the calls. Each request is checked for its key, scope, content type and body, in this order. */
export function registerAdmin(
  server: FastifyInstance,
  calls: readonly PlacedAdminCall[],
  deps: RegisterAdminDeps,
): void {
  const keys = new WeakMap<FastifyRequest, AdminKey>();
  for (const placed of calls) {
    const { method, path, call } = placed;
    const parameter = cursorParameter(call.query);
    server.route({
      method,
      url: adminPrefix + path,
      config: { maxValues },
      schema: describeAdminCall(placed),
      async onRequest(request, reply) {
        reply.header('cache-control', 'no-store');
        const key = await admit(deps, request);
        assertScope(key, scopesFor(placed));
        keys.set(request, key);
        if (call.body) assertJson(request);
        assertQuery(request);
      },
      async handler(request, reply) {
        const seal = parameter && openList(deps.cursors, request, { parameter });
        const answer = await call.handle(
          toAdminRequest(deps, request, keys.get(request)),
          reply.code(call.status),
        );
        if (answer === undefined) return reply.send();
        return seal ? seal(answer) : answer;
      },
    });
  }
}

/** As the framework and the OpenAPI document take it. */
export function describeAdminCall(placed: PlacedAdminCall) {
  const needed = `Needs the scope ${scopesFor(placed)
    .map((scope) => `\`${scope}\``)
    .join(' or ')}.`;
  const { description } = placed.call;
  const call = {
    ...placed.call,
    description: description === undefined ? needed : `${description} ${needed}`,
  };
  return schemaOf(call, ['scope_required']);
}

function scopesFor({ method, scope }: PlacedAdminCall) {
  return adminScopes.filter((one) => one === scope || (one === 'read' && method === 'GET'));
}

async function admit(deps: RegisterAdminDeps, request: FastifyRequest): Promise<AdminKey> {
  try {
    return await authenticateAdmin(deps, bearerToken(request, 'admin'), request.clientAddress);
  } catch (error) {
    throw deps.refuseKey(error, request);
  }
}

function toAdminRequest(
  { verbsBy }: RegisterAdminDeps,
  raw: FastifyRequest,
  adminKey: AdminKey | undefined,
): AdminRequest {
  if (!adminKey) throw new Error('a request came in without a key');
  const by = adminKeyActor(adminKey, raw.clientAddress);
  const { body, params, query } = raw as Pick<AdminRequest, 'body' | 'params' | 'query'>; // the schemas have validated them
  return { body, params, query, adminKey, by, verbs: verbsBy(by), raw };
}
