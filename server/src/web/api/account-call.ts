import type { Static, TObject, TSchema } from 'typebox';
import type { AdminScope } from '../../accounts/admin-keys/scopes.ts';
import type { Right } from '../../accounts/people/roles.ts';
import type { Actor } from '../../base/audit/audit-store.ts';
import type { Queries } from '../../base/db/schema.ts';
import type { CallDescription } from './api-call.ts';
import type { BoundCall } from './register-calls.ts';
import type { Streamed } from './streamed.ts';

export interface Caller {
  accountId: string;
  by: Actor;
  /** True if the caller is an API key. The request log, not the audit log, records what a key does with jobs. */
  isKey?: true;
  may(right: Right): boolean;
  /** Requires the password of a person in the panel. @throws the same AppErrors as `proveOneself` */
  prove?(password: string | undefined): Promise<void>;
}

export type Asked<
  Body extends TSchema = TSchema,
  Params extends TObject = TObject,
  Query extends TObject = TObject,
> = Caller & { body: Static<Body>; params: Static<Params>; query: Static<Query> };

/** A call that is the same at `/api/v1` for one's own account and at `/admin/v1/accounts/{account}` for any. */
export interface AccountCall<
  Body extends TSchema = TSchema,
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Reply extends TSchema = TSchema,
> extends CallDescription<Body, Params, Query> {
  reply: Reply;
  /**
   * Finds the owner of a thing by its id, which is unique across all accounts, so the call's path omits the account.
   * @throws AppError `not_found`
   */
  ownerOf?(queries: Queries, params: Static<Params>): Promise<string>;
  handle(asked: Asked<Body, Params, Query>): Promise<Static<Reply>>;
}

export interface Access {
  right: Right;
  /** The scope that an admin key needs; for calls that only read, `read` is enough. Null if no admin key may call. */
  scope: AdminScope | null;
  byKeys: boolean;
}

export interface AccountRow<
  Method extends BoundCall['method'] = BoundCall['method'],
  Path extends string = string,
  Call extends AccountCall = AccountCall,
> {
  method: Method;
  path: Path;
  access: Access;
  call: Call;
}

export function accountCall<
  Body extends TSchema,
  Params extends TObject,
  Query extends TObject,
  Reply extends TSchema,
>(call: AccountCall<Body, Params, Query, Reply>): AccountCall<Body, Params, Query, Reply> {
  return call;
}

/** Keeps the literal types of method and path, from which `ContractOf` derives a call's types. */
export function row<
  const Method extends BoundCall['method'],
  const Path extends string,
  Call extends AccountCall,
>(method: Method, path: Path, access: Access, call: Call): AccountRow<Method, Path, Call> {
  return { method, path, access, call };
}

export type ContractOf<Rows extends readonly AccountRow[]> = {
  [Row in Rows[number] as `${Row['method']} /api/v1${Row['path']}`]: TypesOf<Row['call']>;
};

export type TypesOf<Call> = Call extends CallDescription<infer Body, infer _Params, infer Query> & {
  reply: infer Reply extends TSchema;
}
  ? { body: GivenStatic<Body>; query: GivenStatic<Query>; answer: AnswerStatic<Reply> }
  : never;
type AnswerStatic<Reply extends TSchema> = Static<Reply> extends Streamed ? string : Static<Reply>;
export type GivenStatic<Schema extends TSchema> = TSchema extends Schema ? undefined : Static<Schema>;
