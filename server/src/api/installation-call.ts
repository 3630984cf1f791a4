import type { Static, TObject, TSchema } from 'typebox';
import type { AdminScope } from '../accounts/admin-keys/scopes.ts';
import type { Actor } from '../audit/audit-store.ts';
import type { CallDescription } from './api-call.ts';

/** Who asks about the installation: an operator, an admin key or the command line. */
export interface InstallationCaller {
  /** For the audit log. */
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
  /** Of a call that handles one; null without. */
  idempotencyKey: string | null;
  /** Makes the answer say that the same was asked before, and nothing was done. */
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

/** Keeps the types of the call's schemas. */
export function installationCall<
  Body extends TSchema,
  Params extends TObject,
  Query extends TObject,
  Reply extends TSchema,
>(call: InstallationCall<Body, Params, Query, Reply>): InstallationCall<Body, Params, Query, Reply> {
  return call;
}
