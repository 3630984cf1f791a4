import type { FastifyReply } from 'fastify';
import type { TObject, TSchema } from 'typebox';
import type { Right } from '../../accounts/people/roles.ts';
import type { Viewer } from '../../accounts/sign-in/sessions.ts';
import type { Browser } from '../../accounts/sign-in/sign-in.ts';
import type { NamesIn } from '../api/screens/screen.ts';
import type { AnswerOf, BodyOf, PanelCallName, QueryOf } from './contract.ts';

export interface PanelRequest<Call extends PanelCallName> {
  params: { [Name in NamesIn<Call>]: string };
  query: QueryOf<Call>;
  body: BodyOf<Call>;
  /** The signed-in person; not set for calls open to `anyone`. */
  viewer: Viewer;
  browser: Browser;
  reply: FastifyReply;
}

export type PanelCallRequest = Pick<PanelRequest<PanelCallName>, 'reply' | 'browser'>;

/** Who may make a call. Members may open their own accounts, and operators all. Other accounts look missing. */
export type Access = { access: 'anyone' | 'person' } | { access: 'account' | 'operator'; right: Right };

export type PanelCall = Access & {
  method: 'GET' | 'POST';
  path: string;
  body: TSchema | undefined;
  query: TObject | undefined;
  handle(request: PanelRequest<PanelCallName>): Promise<unknown>;
};

/** Lets the compiler check the handler against the contract: path, query, body and answer. */
export function panelCall<Call extends PanelCallName>(
  call: Call,
  definition: {
    access: 'anyone' | 'person';
    body?: TSchema;
    handle(request: PanelRequest<Call>): Promise<AnswerOf<Call>>;
  },
): PanelCall {
  const [method, path] = call.split(' ') as ['GET' | 'POST', string]; // the form of every name in the contract
  return {
    method,
    path,
    access: definition.access,
    body: definition.body,
    query: undefined,
    handle: definition.handle as unknown as PanelCall['handle'], // requests are validated before it is called
  };
}

/** Derives the access from the path, so that a new call cannot be open by mistake. */
export function accessOf(path: string, right: Right): Access {
  if (path.startsWith('/panel/operator/')) return { access: 'operator', right };
  if (path.startsWith('/panel/accounts/:account_id/')) return { access: 'account', right };
  return { access: 'person' };
}
