import type { FastifyReply } from 'fastify';
import type { TObject, TSchema } from 'typebox';
import type { Viewer } from '../accounts/sign-in/sessions.ts';
import type { Browser } from '../accounts/sign-in/sign-in.ts';
import type { AnswerOf, BodyOf, PanelCallName, QueryOf } from './contract.ts';
import type { Streamed } from './streamed.ts';

type NamesIn<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

export interface PanelRequest<Call extends PanelCallName> {
  params: { [Name in NamesIn<Call>]: string };
  query: QueryOf<Call>;
  body: BodyOf<Call>;
  /** Who asks; calls for `anyone` have nobody. */
  viewer: Viewer;
  browser: Browser;
  /** The `Idempotency-Key`; null without one. */
  idempotencyKey: string | null;
  reply: FastifyReply;
}

/** A request of whichever call. */
export type PanelCallRequest = Pick<PanelRequest<PanelCallName>, 'reply' | 'browser'>;

/**
 * Who may call. Members may open their own accounts, operators all of them; an account that may not be opened looks
 * like one that does not exist.
 */
export type Access = 'anyone' | 'person' | 'account' | 'operator';

/** One call of the contract: what it takes and who answers it. */
export interface PanelCall {
  method: 'GET' | 'POST';
  path: string;
  access: Access;
  body: TSchema | undefined;
  query: TObject | undefined;
  handle(request: PanelRequest<PanelCallName>): Promise<unknown>;
}

/** Ties a handler to the contract when it is compiled: path, query, body and answer. */
export function panelCall<Call extends PanelCallName>(
  call: Call,
  definition: {
    /** For calls that need no session or no account; else the path says it. */
    access?: 'anyone' | 'person';
    body?: TSchema;
    query?: TObject;
    handle(request: PanelRequest<Call>): Promise<AnswerOf<Call> | Streamed>;
  },
): PanelCall {
  const [method, path] = call.split(' ') as ['GET' | 'POST', string]; // how every name in the contract is written
  return {
    method,
    path,
    access: definition.access ?? accessOf(path),
    body: definition.body,
    query: definition.query,
    handle: definition.handle as unknown as PanelCall['handle'], // the server validates before it calls
  };
}

/** The path decides, so that a new call cannot be open by mistake. */
function accessOf(path: string): Access {
  if (path.startsWith('/panel/operator/')) return 'operator';
  if (path.startsWith('/panel/accounts/:account_id/')) return 'account';
  return 'person';
}
