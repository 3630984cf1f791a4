import type { Static, TObject, TSchema } from 'typebox';
import type { Actor } from '../audit/audit-store.ts';
import type { CallDescription } from './api-call.ts';

export interface AskedOfInstallation<
  Body extends TSchema = TSchema,
  Params extends TObject = TObject,
  Query extends TObject = TObject,
> {
  /** For the audit log: an operator, an admin key or the command line. */
  by: Actor;
  body: Static<Body>;
  params: Static<Params>;
  query: Static<Query>;
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
