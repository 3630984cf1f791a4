import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import type { AdminScope } from '../accounts/admin-keys/scopes.ts';
import type { Right } from '../accounts/people/roles.ts';
import type { TypesOf } from '../api/account-call.ts';
import type { CallDescription } from '../api/api-call.ts';
import type { InstallationCall } from '../api/installation-call.ts';
import type { PlacedCall } from '../api/register-calls.ts';
import type { Actor } from '../audit/audit-store.ts';
import type { OperatorVerbs } from '../operator/verbs.ts';

export const adminPrefix = '/admin/v1';

/** One call of the administration, and its handler. */
export interface AdminCall<
  Body extends TSchema = TSchema,
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Reply extends TSchema = TSchema,
> extends CallDescription<Body, Params, Query> {
  reply: Reply;
  /** What it returns is the answer; undefined where the status is 204. */
  handle(request: AdminRequest<Body, Params, Query>, reply: FastifyReply): Promise<unknown>;
}

/** A call with its path and the scope that it needs; calls that only read are open to the scope `read` as well. */
export interface AdminRow {
  method: PlacedCall['method'];
  /** Below `/admin/v1`. */
  path: string;
  scope: AdminScope;
  /** What an operator needs, unless it is what all calls take that read the installation, or change it. */
  right?: Right | undefined;
  call: AdminCall | InstallationCall;
}

/** A row as the table has it. */
export type WrittenRow = readonly [
  method: AdminRow['method'],
  path: string,
  scope: AdminScope,
  call: AdminCall | InstallationCall,
  right?: Right,
];

/** Who asks: an admin key, or an operator in the panel. */
export interface AdminCaller {
  /** For the audit log: the name of the key or the person, and from where. */
  by: Actor;
  hasScope(scope: AdminScope): boolean;
}

export interface AdminRequest<
  Body extends TSchema = TSchema,
  Params extends TObject = TObject,
  Query extends TObject = TObject,
> extends AdminCaller {
  body: Static<Body>;
  params: Static<Params>;
  query: Static<Query>;
  /** @throws AppError `scope_required` */
  assertScope(scope: AdminScope): void;
  /** What operators do, done by who asks. */
  verbs: OperatorVerbs;
  raw: FastifyRequest;
}

/** Keeps the types of the call's schemas. */
export function adminCall<
  Body extends TSchema,
  Params extends TObject,
  Query extends TObject,
  Reply extends TSchema,
>(call: AdminCall<Body, Params, Query, Reply>): AdminCall<Body, Params, Query, Reply> {
  return call;
}

/** The types of the calls of a table, by method and path as programs send them. */
export type AdminContractOf<Rows extends readonly WrittenRow[]> = {
  [Row in Rows[number] as `${Row[0]} /admin/v1${Row[1]}`]: TypesOf<Row[3]>;
};
