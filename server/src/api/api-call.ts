import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import type { ApiKey } from '../accounts/key-store.ts';
import type { AppError, ErrorCode } from '../errors.ts';

export const apiPrefix = '/api/v1';

/** One call of the API: what it takes, what it gives, and who does it. */
export interface ApiCall<
  Body extends TSchema = TSchema,
  Params extends TObject = TObject,
  Query extends TObject = TObject,
> {
  /** Names the call in generated clients: `getJob`. */
  operationId: string;
  summary: string;
  description?: string;
  tag: string;
  body?: Body;
  /** Takes prompts, which some clients spell with escapes. */
  takesEscapes?: boolean;
  params?: Params;
  query?: Query;
  /** Request headers worth documenting; they are read, not validated, by the schema. */
  headers?: Record<string, { schema: object; description: string }>;
  /** Status and body of success. */
  status: number;
  reply: TSchema;
  replyHeaders?: Record<string, string>;
  /** Codes that this call answers besides those that all do. */
  errors: readonly ErrorCode[];
  /** Mends the parsed body before it is validated. */
  prepare?(body: unknown): void;
  /** What no schema can say, found beside what the schema finds, so that a client hears of everything at once. */
  mistakes?(request: Pick<FastifyRequest, 'headers' | 'body'>): AppError[];
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

/** Keeps the types of the schemas while the call is written, and forgets them for the list of all. */
export function apiCall<Body extends TSchema, Params extends TObject, Query extends TObject>(
  definition: ApiCall<Body, Params, Query>,
): ApiCall {
  return definition as unknown as ApiCall; // the server validates with these very schemas before it calls handle
}
