import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AdminKey } from '../../accounts/admin-keys/admin-key-store.ts';
import { assertScope, authenticateAdmin } from '../../accounts/admin-keys/authenticate-admin.ts';
import { adminScopes } from '../../accounts/admin-keys/scopes.ts';
import { adminKeyActor } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import { bearerToken } from '../../base/http/bearer.ts';
import { idempotencyKey } from '../../base/http/request-headers.ts';
import type { Clock } from '../../base/std/clock.ts';
import { statusOf } from '../api/api-call.ts';
import { bindMaking } from '../api/bind-making.ts';
import { checksOf, schemaOf } from '../api/call-schema.ts';
import type { AskedOfInstallation, InstallationCaller } from '../api/installation-call.ts';
import { type AdminRow, adminPrefix } from '../api/installation-call.ts';
import type { RefuseKey } from '../api/refuse-key.ts';
import type { BoundCall } from '../api/register-calls.ts';
import { enterInstallation, isFromPanel, readViewer, type SessionDeps } from '../api/sessions.ts';
import { isLinked, Streamed } from '../api/streamed.ts';

export interface BindAdminDeps {
  /** @throws AppError for callers that may not make the call */
  admit(request: FastifyRequest, asked: Admitting): Promise<Admitted>;
}

export interface AdmitDeps {
  database: Database;
  sessions: SessionDeps;
  clock: Clock;
  refuseKey: RefuseKey;
}

/** The maximum number of values in a body, enough for a model with a whole ComfyUI workflow. */
const maxValues = 20_000;

export function admitByCredentials(deps: AdmitDeps): BindAdminDeps['admit'] {
  return (request, asked) => {
    const bySession = isFromPanel(request) || (isLinked(asked.row.call) && isWithoutKey(request));
    return (bySession ? admitOperator : admitKey)(deps, request, asked);
  };
}

/** Whether a request has only a cookie, as links do. Other sites can link here, but cannot read the answer. */
function isWithoutKey({ headers }: FastifyRequest): boolean {
  return headers.authorization === undefined && headers.cookie !== undefined;
}

export function bindAdmin(row: AdminRow, deps: BindAdminDeps): BoundCall {
  const { method, path, call } = row;
  const callers = new WeakMap<FastifyRequest, Admitted>();
  const callerOf = (request: FastifyRequest) => {
    const caller = callers.get(request);
    if (!caller) throw new Error('a request came in without a caller');
    return caller;
  };
  return {
    method,
    url: adminPrefix + path,
    schema: checksOf(call),
    body: call.body,
    query: call.query,
    formerNames: call.formerNames,
    maxValues,
    bodyLimit: call.maxBytes,
    ...bindMaking(call, adminPrefix, (request) => callerOf(request).who),
    async admit(request, reply) {
      callers.set(request, await deps.admit(request, { reply, row }));
    },
    async handle(request, reply) {
      const { who: _, ...caller } = callerOf(request);
      const { body, params, query } = request as Pick<AskedOfInstallation, 'body' | 'params' | 'query'>; // the schemas have validated them
      const given = await call.handle({
        ...{ ...caller, body, params, query },
        idempotencyKey: call.idempotency === 'handled' ? idempotencyKey(request) : null,
        noteReplay: () => reply.header('idempotent-replayed', 'true'),
      });
      reply.code(statusOf(call));
      if (given instanceof Streamed) return given.send(reply);
      return given;
    },
  };
}

export type Admitted = InstallationCaller & { who: string };
export interface Admitting {
  reply: FastifyReply;
  row: AdminRow;
}

async function admitKey(deps: AdmitDeps, request: FastifyRequest, { row }: Admitting): Promise<Admitted> {
  const key = await authenticate(deps, request);
  assertScope(key, scopesFor(row));
  return {
    who: key.id,
    by: adminKeyActor(key, request.clientAddress),
    hasScope: (scope) => key.scopes.includes(scope),
    assertScope: (scope) => assertScope(key, [scope]),
  };
}

async function admitOperator(
  deps: AdmitDeps,
  request: FastifyRequest,
  { reply, row }: Admitting,
): Promise<Admitted> {
  const viewer = await readViewer(deps.sessions, request, reply);
  const rights = enterInstallation(deps.sessions, request, { viewer, right: row.right });
  return {
    who: viewer.personId,
    by: viewer,
    hasScope: (scope) => scope === 'read' || rights.includes('operate'),
    // Checks nothing. Only calls that change something assert a scope, and those already need the right `operate`,
    // which gives every scope.
    assertScope() {},
  };
}

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

async function authenticate(deps: AdmitDeps, request: FastifyRequest): Promise<AdminKey> {
  try {
    return await authenticateAdmin(deps, bearerToken(request, 'admin'), request.clientAddress);
  } catch (error) {
    throw deps.refuseKey(error, request);
  }
}
