import { setTimeout as sleep } from 'node:timers/promises';
import type { Cast } from '../cast.ts';
import type { Random } from '../random.ts';
import type { LoadLog } from './log.ts';

export interface Client {
  cast: Cast;
  log: LoadLog;
  random: Random;
  file: string;
  receiverUrl: string;
  signal: AbortSignal;
}

export interface Request {
  name: string;
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  token: string;
  key?: string;
  body?: unknown;
  /** Statuses of final refusals, in addition to refusals for lack of money. */
  final?: readonly number[];
  /** Whether a refusal with `x-should-retry: false`, which OpenAI's clients obey, is final. */
  isFinalIfForbidden?(answer: Answer): boolean;
}

export interface Answer {
  status: number;
  text: string;
  forbidsRetry: boolean;
  json<Body>(): Body;
}

// A client gives up after this time, which is longer than any network problem of a run, because a good client does not
// give up earlier.
const patienceMs = 180_000;
const requestTimeoutMs = 30_000;
const noMoney = 402;
// Statuses of an upload or image that is not there yet. An image that stays missing becomes a finding.
const missing = [410, 422];

/**
 * Sends a request, and repeats it by the documented rules until the answer is final.
 * @returns the answer: a 2xx, a refusal for lack of money, or one of `final`; undefined if none came
 */
export async function sendUntilAnswered(client: Client, request: Request): Promise<Answer | undefined> {
  const { log, random, signal } = client;
  const giveUpAt = performance.now() + patienceMs;
  while (performance.now() < giveUpAt && !signal.aborted) {
    const { retryAfter, ...answer } = await send(client, request);
    log.answers.set(answer.status, (log.answers.get(answer.status) ?? 0) + 1);
    if (answer.status >= 200 && answer.status < 300) return answer;
    if (answer.status === noMoney || request.final?.includes(answer.status)) return answer;
    if (answer.forbidsRetry && request.isFinalIfForbidden?.(answer)) return answer;
    const mayBeSentAgain = answer.status === 0 || retryAfter !== null || missing.includes(answer.status);
    if (!mayBeSentAgain)
      log.faults.push(`${request.name}: HTTP ${answer.status} ${answer.text.slice(0, 300)}`);
    await sleep(retryAfter === null ? 100 + 200 * random.next() : Number(retryAfter) * 1_000);
  }
  log.gaveUp.push(request.name);
}

async function send(
  { cast, random }: Client,
  { method = 'POST', path, token, key, body }: Request,
): Promise<Answer & { retryAfter: string | null }> {
  const [first = '', ...others] = cast.apiUrls;
  const type = body instanceof Blob ? body.type : 'application/json';
  try {
    const response = await fetch(`${random.pick([first, ...others])}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': type }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(body !== undefined && { body: body instanceof Blob ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    const text = await response.text();
    const { status, headers } = response;
    return {
      status,
      text,
      json: () => JSON.parse(text),
      forbidsRetry: headers.get('x-should-retry') === 'false',
      retryAfter: headers.get('retry-after'),
    };
  } catch (error) {
    const json = () => undefined as never;
    return { status: 0, text: String(error), json, forbidsRetry: false, retryAfter: null }; // read only after a 2xx
  }
}
