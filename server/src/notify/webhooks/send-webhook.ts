import type { Dispatcher } from 'undici';
import { GuardError } from '../../base/guard/guard-error.ts';
import { orAborted } from '../../base/std/or-aborted.ts';
import { parseRetryAfter } from '../../base/std/retry-after.ts';
import type { AttemptResult, DeliveryFailure } from './delivery.ts';
import type { SignedRequest } from './sign-request.ts';
import type { CheckTarget } from './webhook-target.ts';

/** The time limit for a delivery: DNS lookup, connection, request and response together. */
export const exchangeMs = 15_000;
/** Bytes beyond `maxKeptBytes` are read only so that the connection can be reused. */
const maxReadBytes = 65_536;
const maxKeptBytes = 2_048;

export interface SendContext {
  dispatcher: Dispatcher;
  checkTarget: CheckTarget;
  nowMs: () => number;
  signal: AbortSignal;
}

/** Makes one attempt. Never throws for faults of the receiver, its network or its DNS name. */
export async function sendWebhook(request: SignedRequest, context: SendContext): Promise<AttemptResult> {
  const startedAt = performance.now();
  const partial: Partial = { status: null, answer: null, retryAfterMs: null };
  const failure = await exchange(request, context, partial);
  return { ...partial, failure, durationMs: Math.round(performance.now() - startedAt) };
}

/** The part of a response that is known even if the exchange broke off. */
type Partial = Pick<AttemptResult, 'status' | 'answer' | 'retryAfterMs'>;

class TimedOut extends Error {}

async function exchange(
  { url, headers, body }: SignedRequest,
  { dispatcher, checkTarget, nowMs, signal }: SendContext,
  partial: Partial,
): Promise<DeliveryFailure | null> {
  const verdict = checkTarget(url);
  if (!verdict.ok) return 'blocked_address';
  const { origin, pathname, search } = verdict.url;
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(new TimedOut()), exchangeMs);
  const onStop = () => stop.abort(signal.reason);
  signal.addEventListener('abort', onStop);
  if (signal.aborted) onStop();
  try {
    const wanted = {
      origin,
      path: pathname + search,
      method: 'POST',
      headers,
      body,
      signal: stop.signal,
    } as const;
    const answer = await orAborted(dispatcher.request(wanted), stop.signal);
    partial.status = answer.statusCode;
    const retryAfter = answer.headers['retry-after'];
    const waitMs = parseRetryAfter(Array.isArray(retryAfter) ? retryAfter[0] : retryAfter, nowMs());
    partial.retryAfterMs = waitMs !== null && waitMs > 0 ? waitMs : null;
    partial.answer = await readStart(answer.body);
    return failureOf(answer.statusCode);
  } catch (error) {
    if (stop.signal.aborted) return stop.signal.reason instanceof TimedOut ? 'timed_out' : 'interrupted';
    return wordFor(error);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onStop);
  }
}

async function readStart(body: Dispatcher.ResponseData['body']): Promise<string> {
  const kept: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop early destroys the stream, and so the connection.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (bytes < maxKeptBytes) kept.push(chunk.subarray(0, maxKeptBytes - bytes));
    bytes += chunk.length;
    if (bytes >= maxReadBytes) break;
  }
  // PostgreSQL's text type cannot store NUL.
  return Buffer.concat(kept).toString('utf8').replaceAll('\0', '\ufffd');
}

function failureOf(status: number): DeliveryFailure | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return 'redirected';
  return status === 410 ? 'gone' : 'status';
}

export function wordFor(error: unknown): DeliveryFailure {
  if (error instanceof GuardError) return error.reason === 'blocked' ? 'blocked_address' : 'dns_failed';
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return 'timed_out';
  if (/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/.test(code)) return 'connect_refused';
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO)/.test(code)) return 'tls_failed';
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'response_too_large';
  // The parser's error may have no code.
  if (error instanceof Error && error.name === 'HTTPParserError') return 'invalid_response';
  return 'connection_lost';
}
