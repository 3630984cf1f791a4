import type { AnswerOf, BodyOf, PanelCallName, QueryOf } from '@darkroom/server/panel-contract';
import { readProblem } from './problem.ts';
import { fetchNoted } from './reachable.ts';

type ParamNames<Text extends string> = Text extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<`/${Rest}`>
  : Text extends `${string}:${infer Name}`
    ? Name
    : never;

type Given<Name extends string, Value> = [Value] extends [undefined] ? unknown : { [key in Name]: Value };

/**
 * The names in `params`: those in the path, and `account_id` for the API's calls, which name the account in a header.
 */
type NamesOf<Call extends string> =
  | ParamNames<Call>
  | (Call extends `${string} /api/v1/${string}` ? 'account_id' : never);

export type InputOf<Call extends PanelCallName> = ([NamesOf<Call>] extends [never]
  ? unknown
  : { params: Record<NamesOf<Call>, string> }) &
  (QueryOf<Call> extends undefined ? unknown : { query?: QueryOf<Call> }) &
  Given<'body', BodyOf<Call>>;

interface AnyInput {
  params?: Record<string, string>;
  query?: object;
  body?: unknown;
}

interface SendOptions {
  signal?: AbortSignal;
  idempotencyKey?: string;
  keepalive?: boolean;
}

/** @throws ProblemError if the call is refused or gets no answer */
export async function send<Call extends PanelCallName>(
  call: Call,
  input: InputOf<Call>,
  options: SendOptions = {},
): Promise<AnswerOf<Call>> {
  const response = await openAnswer(call, input, options);
  if (response.status === 204) return null as AnswerOf<Call>; // the contract's type for 204 is `null`
  return (await response.json()) as AnswerOf<Call>; // the server is checked against the same contract
}

export async function openAnswer<Call extends PanelCallName>(
  call: Call,
  input: InputOf<Call>,
  options: SendOptions = {},
): Promise<Response> {
  const { body, params }: AnyInput = input as AnyInput; // InputOf has no more fields than AnyInput
  const address = addressOf(call, input);
  const response = await fetchNoted(address, {
    method: call.slice(0, call.indexOf(' ')),
    credentials: 'same-origin',
    headers: {
      ...(body !== undefined && {
        'content-type': body instanceof Blob ? body.type : 'application/json',
      }),
      // The cookie authorizes only calls with this header, because other sites' forms cannot send it.
      ...(!address.startsWith('/panel/') && { 'darkroom-panel': '1' }),
      ...(address.startsWith('/api/v1/') && { 'darkroom-account': params?.account_id ?? '' }),
      ...(options.idempotencyKey && { 'idempotency-key': options.idempotencyKey }),
    },
    ...(body !== undefined && { body: body instanceof Blob ? body : JSON.stringify(body) }),
    ...(options.signal && { signal: options.signal }),
    ...(options.keepalive && { keepalive: true }),
  });
  if (!response.ok) throw await readProblem(response);
  return response;
}

/** The URL of a download. Links send no headers, so the query names the account. */
export function linkOf<Call extends PanelCallName>(call: Call, input: InputOf<Call>): string {
  const { params = {}, query }: AnyInput = input as AnyInput; // InputOf has no more fields than AnyInput
  const named = { params, query: { ...query, account: params.account_id } };
  return addressOf(call, named as unknown as InputOf<Call>); // every download takes the query `account`
}

export function addressOf<Call extends PanelCallName>(call: Call, input: InputOf<Call>): string {
  const { params = {}, query = {} } = input as AnyInput; // InputOf has no more fields than AnyInput
  const path = call
    .slice(call.indexOf(' ') + 1)
    .replace(/:([a-z_]+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? path : `${path}?${text}`;
}
