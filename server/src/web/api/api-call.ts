import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import type { ApiKey } from '../../accounts/key-store.ts';
import type { Right } from '../../accounts/people/roles.ts';
import type { BodyReader } from '../../base/http/bodies/body-budget.ts';
import type { AppError, ErrorCode } from '../../errors.ts';

export const apiPrefix = '/api/v1';

export interface CallDescription<
  Body extends TSchema = TSchema,
  Params extends TObject = TObject,
  Query extends TObject = TObject,
> {
  operationId: string;
  summary: string;
  description?: string;
  tag: string;
  body?: Body;
  maxBytes?: number;
  maxValues?: number;
  /** Replaces `body` if the schema depends on the request. */
  bodyOf?(request: FastifyRequest): TSchema;
  /** Replaces `body` if the handler reads the body as it arrives. Maps each content type to the schema to document. */
  content?: Record<string, { schema: object }>;
  params?: Params;
  query?: Query;
  /** Maps names of parameters in version 0.1.0, which are still accepted, to their present names. */
  formerNames?: Readonly<Record<string, string>>;
  /** Request headers to document. The handler reads them, and the schema does not check them. */
  headers?: Record<string, { schema: object; description: string }>;
  status?: number;
  reply: TSchema;
  otherReplies?: Record<number, { description: string; schema?: TSchema }>;
  /** The media type of the reply, by default `application/json`. */
  replyType?: string;
  otherTypes?: Record<string, TSchema>;
  replyHeaders?: Record<string, string>;
  /**
   * How the call treats `Idempotency-Key`. `handled`: the handler reads it. `kept`: the answer is kept and repeated for
   * the same key. Calls without this field refuse the header.
   */
  idempotency?: 'handled' | 'kept';
  /**
   * The path of the created thing, relative to the mount. Its placeholders, as in `/keys/:key_id`, are filled from the
   * request's parameters and the answer.
   */
  makes?: string;
  /** Error codes in addition to those of every call and, if the call has a body, those of every body. */
  errors?: readonly ErrorCode[];
}

export function statusOf({ status = 200 }: CallDescription): number {
  return status;
}

export interface ApiCall<
  Body extends TSchema = TSchema,
  Params extends TObject = TObject,
  Query extends TObject = TObject,
> extends CallDescription<Body, Params, Query> {
  /** Reads a body that may be larger than usual or of another type. `body` is then the schema of what it returns. */
  large?: LargeBody;
  /** True if the body has a prompt, which some clients send as escapes. It may then be larger than usual. */
  takesEscapes?: boolean;
  /** Corrects the parsed body before it is validated. */
  prepare?(body: unknown): void;
  /** Finds mistakes that no schema can express. They are reported together with those that the schema finds. */
  mistakes?(request: Pick<FastifyRequest, 'headers' | 'query' | 'body' | 'apiKey'>): AppError[];
  /** Whether a list accepts the text in place of a cursor. */
  honours?(text: string): boolean;
  handle(request: ApiRequest<Body, Params, Query>, reply: FastifyReply): Promise<unknown>;
}

export interface LargeBody {
  maxBytes: number;
  /** Runs before the body is read. @throws AppError `unsupported_media_type` */
  assertType(request: FastifyRequest): void;
  reader(request: FastifyRequest): BodyReader;
}

export interface ApiRow {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  /** The callers who may make the call. `its model` means keys and tokens that may use the model in the path. */
  access: 'any key' | 'any key or token' | 'its model';
  /** The right that a person needs in the account; null if only keys may make the call. */
  right: Right | null;
  call: ApiCall;
}

export type ApiRequest<
  Body extends TSchema = TSchema,
  Params extends TObject = TObject,
  Query extends TObject = TObject,
> = Omit<FastifyRequest, 'body' | 'params' | 'query'> & {
  body: Static<Body>;
  params: Static<Params>;
  query: Static<Query>;
  apiKey: ApiKey;
};

/** Checks the handler against the types of the schemas, then drops these types so that all calls fit in one list. */
export function apiCall<Body extends TSchema, Params extends TObject, Query extends TObject>(
  definition: ApiCall<Body, Params, Query>,
): ApiCall {
  return definition as unknown as ApiCall; // handle gets only what these schemas validated
}
