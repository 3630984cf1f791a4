import type { Static, TObject, TSchema } from 'typebox';
import type { AdminScope } from '../../accounts/admin-keys/scopes.ts';
import type { Right } from '../../accounts/people/roles.ts';
import type { Actor } from '../../base/audit/audit-store.ts';
import type { TypesOf } from './account-call.ts';
import type { CallDescription } from './api-call.ts';
import type { BoundCall } from './register-calls.ts';

export const adminPrefix = '/admin/v1';

export interface InstallationCaller {
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
  /** The request's `Idempotency-Key`, for calls that handle it themselves; null without the header. */
  idempotencyKey: string | null;
  /** Marks the answer as a replay, because an earlier request did the same. */
  noteReplay(): void;
}

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

/** The scope `read` is enough for calls that only read. */
export interface AdminRow {
  method: BoundCall['method'];
  path: string;
  scope: AdminScope;
  /** The operator's right, if it is not the usual one for reading or changing the installation. */
  right?: Right | undefined;
  call: InstallationCall;
}

export type WrittenRow = readonly [
  method: AdminRow['method'],
  path: string,
  scope: AdminScope,
  call: InstallationCall,
  right?: Right,
];

export type AdminContractOf<Rows extends readonly WrittenRow[]> = {
  [Row in Rows[number] as `${Row[0]} /admin/v1${Row[1]}`]: TypesOf<Row[3]>;
};
