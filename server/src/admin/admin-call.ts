import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import type { AdminKey } from '../accounts/admin-keys/admin-key-store.ts';
import type { AdminScope } from '../accounts/admin-keys/scopes.ts';
import type { CallDescription } from '../api/api-call.ts';
import type { Actor } from '../audit/audit-store.ts';
import type { OperatorVerbs } from '../operator/verbs.ts';

export const adminPrefix = '/admin/v1';

/** One call of the administration, and its handler. */
export interface AdminCall<
  Body extends TSchema = TSchema,
  Params extends TObject = TObject,
  Query extends TObject = TObject,
> extends CallDescription<Body, Params, Query> {
  /** What it returns is the answer; undefined where the status is 204. */
  handle(request: AdminRequest<Body, Params, Query>, reply: FastifyReply): Promise<unknown>;
}

/** A call with its path and the scope that it needs; calls that only read are open to the scope `read` as well. */
export interface AdminRow {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/admin/v1`. */
  path: string;
  scope: AdminScope;
  call: AdminCall;
}

export interface AdminRequest<
  Body extends TSchema = TSchema,
  Params extends TObject = TObject,
  Query extends TObject = TObject,
> {
  body: Static<Body>;
  params: Static<Params>;
  query: Static<Query>;
  adminKey: AdminKey;
  /** For the audit log: the name of the key, and from where. */
  by: Actor;
  /** What operators do, done by this key. */
  verbs: OperatorVerbs;
  raw: FastifyRequest;
}

/** Keeps the types of the schemas in the handler, and drops them so that all calls fit in one list. */
export function adminCall<Body extends TSchema, Params extends TObject, Query extends TObject>(
  definition: AdminCall<Body, Params, Query>,
): AdminCall {
  return definition as unknown as AdminCall; // handle gets what these schemas validated
}
