import { DarkroomError, NetworkError } from './errors.ts';
import { newIdempotencyKey } from './idempotency-key.ts';
import { type RetryPolicy, withRetries } from './retry.ts';

/** The longest time that a server waits for a large body. */
export const longestBodyMs = 15 * 60_000;

export interface Transport extends RetryPolicy {
  /** Ends in `/api/v1`, or in `/admin/v1`. */
  baseUrl: string;
  apiKey: string;
  /** The client's name; undefined in browsers, where pages would need permission to send it. */
  userAgent: string | undefined;
  fetch: typeof fetch;
  requestTimeoutMs: number;
  /** False once a proxy is found to buffer streams until they end. */
  streams: boolean;
}

export interface Answer {
  /** The media type. */
  type: string;
  headers: Headers;
  body: ReadableStream<Uint8Array>;
  json<Body>(): Promise<Body>;
  blob(): Promise<Blob>;
  restartTimeout(ms: number): void;
}

export interface ApiRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
  /** Bytes to send unchanged, instead of `body`. */
  file?: Blob | Uint8Array;
  signal?: AbortSignal | undefined;
  /** Time that the server may take deliberately, in addition to the usual time-out. */
  extraTimeMs?: number;
}

export interface MakingRequest extends Omit<ApiRequest, 'method'> {
  idempotencyKey?: string | undefined;
}

/** Sends a request that makes something or costs money. Retries use the same key, so that nothing is made twice. */
export async function make<Body>(transport: Transport, request: MakingRequest): Promise<Body> {
  return (await makeWithHeaders<Body>(transport, request)).body;
}

export function makeWithHeaders<Body>(
  transport: Transport,
  { idempotencyKey = newIdempotencyKey(), headers, ...request }: MakingRequest,
): Promise<{ headers: Headers; body: Body }> {
  const keyed = { 'idempotency-key': idempotencyKey, ...headers };
  return sendWithHeaders<Body>(transport, { ...request, method: 'POST', headers: keyed });
}

/** Sends a request, and retries it with the same headers. */
export async function send<Body>(transport: Transport, request: ApiRequest): Promise<Body> {
  return (await sendWithHeaders<Body>(transport, request)).body;
}

async function sendWithHeaders<Body>(
  transport: Transport,
  request: ApiRequest,
): Promise<{ headers: Headers; body: Body }> {
  const url = transport.baseUrl + request.path;
  const headers = headersOf(transport, { accept: 'application/json', ...request.headers });
  const init: RequestInit = { method: request.method, headers };
  if (request.body !== undefined) {
    headers.set('content-type', 'application/json');
    init.body = JSON.stringify(request.body);
  } else if (request.file) init.body = request.file as Blob | Uint8Array<ArrayBuffer>; // of any kind of memory
  const timeoutMs = transport.requestTimeoutMs + (request.extraTimeMs ?? 0);
  let mayBeDone = false;
  const attempt = async () => {
    try {
      return await exchange(transport, url, init, timeoutMs, request.signal, async (answer) => ({
        headers: answer.headers,
        body: await answer.json<Body>(),
      }));
    } catch (error) {
      // An earlier attempt, whose answer was lost, has deleted it.
      if (request.method === 'DELETE' && mayBeDone && isNotFound(error))
        return { headers: new Headers(), body: undefined as Body }; // as after 204
      mayBeDone ||= !(error instanceof DarkroomError && error.status === 429);
      throw error;
    }
  };
  const mayRepeat = request.method === 'GET' || headers.has('idempotency-key');
  return withRetries(transport, request.signal, attempt, mayRepeat);
}

function isNotFound(error: unknown): boolean {
  return error instanceof DarkroomError && error.code === 'not_found';
}

export function sendForText(transport: Transport, request: ApiRequest): Promise<string> {
  const headers = headersOf(transport, request.headers ?? {});
  const init = { method: request.method, headers };
  return withRetries(transport, request.signal, () =>
    exchange(
      transport,
      transport.baseUrl + request.path,
      init,
      transport.requestTimeoutMs,
      request.signal,
      async (answer) => (await answer.blob()).text(),
    ),
  );
}

/** Reads the answer in pieces as they arrive. Never retries. */
export async function* openStream(transport: Transport, request: ApiRequest): AsyncGenerator<Uint8Array> {
  const { method, path, signal } = request;
  const url = transport.baseUrl + path;
  const silence = new AbortController();
  const fail = () => silence.abort(new DOMException('The request timed out.', 'TimeoutError'));
  let timer = setTimeout(fail, transport.requestTimeoutMs);
  const either = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
  const headers = headersOf(transport, request.headers ?? {});
  try {
    const response = await transport.fetch(url, { method, headers, signal: either, redirect: 'error' });
    if (!response.ok) throw new DarkroomError(response, await response.text());
    for await (const piece of response.body ?? []) {
      clearTimeout(timer);
      yield piece;
      timer = setTimeout(fail, transport.requestTimeoutMs);
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof DarkroomError ? error : new NetworkError(url, error);
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

export function headersOf(transport: Transport, more: Record<string, string>): Headers {
  return new Headers({ ...agentOf(transport), ...more, authorization: `Bearer ${transport.apiKey}` });
}

function agentOf({ userAgent }: Transport): Record<string, string> {
  return userAgent === undefined ? {} : { 'user-agent': userAgent };
}

/** Downloads a file. By default, sends no key, because the link is signed and may lead to another host. */
export function download(
  transport: Transport,
  url: string,
  signal: AbortSignal | undefined,
  headers: NonNullable<RequestInit['headers']> = agentOf(transport),
): Promise<Blob> {
  return withRetries(transport, signal, () =>
    exchange(transport, url, { headers }, transport.requestTimeoutMs, signal, (answer) => answer.blob()),
  );
}

/** Makes one request and reads its answer. `read` can extend the time-out. */
export async function exchange<Content>(
  transport: Transport,
  url: string,
  init: RequestInit,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  read: (answer: Answer) => Promise<Content>,
): Promise<Content> {
  const timeout = new AbortController();
  const expire = () => timeout.abort(new DOMException('The request timed out.', 'TimeoutError'));
  let timer = setTimeout(expire, timeoutMs);
  const restartTimeout = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(expire, ms);
  };
  const either = signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]);
  try {
    // The API never redirects, and a followed redirect would turn a POST into a GET.
    const response = await transport.fetch(url, { ...init, signal: either, redirect: 'error' });
    if (!response.ok) throw new DarkroomError(response, await response.text());
    const type = response.headers.get('content-type') ?? '';
    return await read({
      type,
      headers: response.headers,
      body: response.body ?? new ReadableStream(),
      json: () => readJson(response),
      // Bun's blobs lack the type.
      blob: async () => {
        const blob = await response.blob();
        return blob.type ? blob : blob.slice(0, blob.size, type);
      },
      restartTimeout,
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof DarkroomError || error instanceof NetworkError
      ? error
      : new NetworkError(url, error);
  } finally {
    clearTimeout(timer);
  }
}

async function readJson<Body>(response: Response): Promise<Body> {
  const text = await response.text();
  try {
    if (response.status === 204) return undefined as Body; // calls whose answer is 204 return nothing
    return JSON.parse(text) as Body; // successful answers have the shapes of types.ts
  } catch {
    throw new DarkroomError(response, text);
  }
}
