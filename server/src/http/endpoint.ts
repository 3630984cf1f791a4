import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import type { ApiKey } from '../accounts/key-store.ts';
import type { ErrorCode } from '../errors.ts';

/** What is answered at a place of the route table: what it takes, what it gives, and who does it. */
export interface Endpoint<
  Body extends TSchema = TSchema,
  Params extends TObject = TObject,
  Query extends TObject = TObject,
> {
  summary: string;
  description?: string;
  tag: string;
  body?: Body;
  params?: Params;
  query?: Query;
  /** Request headers worth documenting; they are read, not validated, by the schema. */
  headers?: Record<string, { schema: object; description: string }>;
  /** Status and body of success. */
  status: number;
  reply: TSchema;
  replyHeaders?: Record<string, string>;
  /** Codes that this endpoint answers besides those that all do. */
  errors: readonly ErrorCode[];
  /** Mends the parsed body before it is validated. */
  prepare?(body: unknown): void;
  handle(request: ApiRequest<Body, Params, Query>, reply: FastifyReply): Promise<unknown>;
}

export type ApiRequest<
  Body extends TSchema = TSchema,
  Params extends TObject = TObject,
  Query extends TObject = TObject,
> = Omit<FastifyRequest, 'body' | 'params' | 'query'> & {
  body: Static<Body>;
  params: Static<Params>;
  query: Static<Query>;
  /** Whose request it is. */
  apiKey: ApiKey;
};

/** Keeps the types of the schemas while the endpoint is written, and forgets them for the table. */
export function endpoint<Body extends TSchema, Params extends TObject, Query extends TObject>(
  definition: Endpoint<Body, Params, Query>,
): Endpoint {
  return definition as unknown as Endpoint; // the server validates with these very schemas before it calls handle
}
