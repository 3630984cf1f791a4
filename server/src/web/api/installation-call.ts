import type { Static, TObject, TSchema } from 'typebox';
import type { AdminScope } from '../../accounts/admin-keys/scopes.ts';
import type { Right } from '../../accounts/people/roles.ts';
import type { Actor } from '../../base/audit/audit-store.ts';
import type { TypesOf } from './account-call.ts';
import type { CallDescription } from './api-call.ts';
import type { BoundCall } from './register-calls.ts';

export const adminPrefix = '/admin/v1';

/** The caller of an installation call: an operator, an admin key or the command line. */
export interface InstallationCaller {
  /** The actor in the audit log. */
  by: Actor;
  hasScope(scope: AdminScope): boolean;
  /** @throws AppError `scope_required` */
  assertScope(scope: AdminScope): void;
}

export interface AskedOfInstallation<
  Body extends TSchema = TSchema,
  Params extends TObject = TObject,
  Query extends TObject = TObject,
> extends InstallationCaller {
  body: Static<Body>;
  params: Static<Params>;
  query: Static<Query>;
  /** The request's key, for calls that handle one; null without a key. */
  idempotencyKey: string | null;
  /** Marks the answer as a replay: an earlier request did the same, so this one did nothing. */
  noteReplay(): void;
}

/** A call about the installation, which is the same for operators, admin keys and the command line. */
export interface InstallationCall<
  Body extends TSchema = TSchema,
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Reply extends TSchema = TSchema,
> extends CallDescription<Body, Params, Query> {
  reply: Reply;
  handle(asked: AskedOfInstallation<Body, Params, Query>): Promise<Static<Reply>>;
}

export function installationCall<
  Body extends TSchema,
  Params extends TObject,
  Query extends TObject,
  Reply extends TSchema,
>(call: InstallationCall<Body, Params, Query, Reply>): InstallationCall<Body, Params, Query, Reply> {
  return call;
}

/** A call with its path and its scope. Calls that only read are also open to the scope `read`. */
export interface AdminRow {
  method: BoundCall['method'];
  /** The path below `/admin/v1`. */
  path: string;
  scope: AdminScope;
  /** The operator's right, if it is not the usual one for reading or changing the installation. */
  right?: Right | undefined;
  call: InstallationCall;
}

/** A row as written in the table. */
export type WrittenRow = readonly [
  method: AdminRow['method'],
  path: string,
  scope: AdminScope,
  call: InstallationCall,
  right?: Right,
];

/** The types of a table's calls, by method and path as programs send them. */
export type AdminContractOf<Rows extends readonly WrittenRow[]> = {
  [Row in Rows[number] as `${Row[0]} /admin/v1${Row[1]}`]: TypesOf<Row[3]>;
};
