import type { FastifyReply } from 'fastify';
import type { TObject, TSchema } from 'typebox';
import type { Right } from '../accounts/people/roles.ts';
import type { Viewer } from '../accounts/sign-in/sessions.ts';
import type { Browser } from '../accounts/sign-in/sign-in.ts';
import type { NamesIn } from '../api/screens/screen.ts';
import type { Streamed } from '../api/streamed.ts';
import type { AnswerOf, BodyOf, PanelCallName, QueryOf } from './contract.ts';
import { rightFor } from './rights.ts';

export interface PanelRequest<Call extends PanelCallName> {
  params: { [Name in NamesIn<Call>]: string };
  query: QueryOf<Call>;
  body: BodyOf<Call>;
  /** The signed-in person; not set for calls open to `anyone`. */
  viewer: Viewer;
  browser: Browser;
  /** The `Idempotency-Key`; null without one. */
  idempotencyKey: string | null;
  reply: FastifyReply;
}

/** The request of any call. */
export type PanelCallRequest = Pick<PanelRequest<PanelCallName>, 'reply' | 'browser'>;

/**
 * Who may use a call. Members may open their own accounts, operators all of them; an account that may not be
 * opened looks like one that does not exist.
 */
export type Access = 'anyone' | 'person' | 'account' | 'operator';

/** One call of the contract, and its handler. */
export interface PanelCall {
  method: 'GET' | 'POST';
  path: string;
  access: Access;
  /** What an account or the installation asks for. */
  right: Right;
  body: TSchema | undefined;
  query: TObject | undefined;
  /** The handler reads the body as it arrives. */
  takesFile: boolean;
  /** The handler reads an `Idempotency-Key`. */
  idempotency: 'handled' | undefined;
  handle(request: PanelRequest<PanelCallName>): Promise<unknown>;
}

/** The compiler checks the handler against the contract: path, query, body and answer. */
export function panelCall<Call extends PanelCallName>(
  call: Call,
  definition: {
    /** Only for calls without a session or account; otherwise the path determines it. */
    access?: 'anyone' | 'person';
    body?: TSchema;
    query?: TObject;
    takesFile?: boolean;
    idempotency?: 'handled';
    handle(request: PanelRequest<Call>): Promise<AnswerOf<Call> | Streamed>;
  },
): PanelCall {
  const [method, path] = call.split(' ') as ['GET' | 'POST', string]; // the form of every name in the contract
  return {
    method,
    path,
    access: definition.access ?? accessOf(path),
    right: rightFor(method, path),
    body: definition.body,
    query: definition.query,
    takesFile: definition.takesFile ?? false,
    idempotency: definition.idempotency,
    handle: definition.handle as unknown as PanelCall['handle'], // requests are validated before it is called
  };
}

/** Derived from the path, so that a new call cannot be left open by mistake. */
export function accessOf(path: string): Access {
  if (path.startsWith('/panel/operator/')) return 'operator';
  if (path.startsWith('/panel/accounts/:account_id/')) return 'account';
  return 'person';
}
