import { DarkroomError, NetworkError } from './errors.ts';
import { type RetryPolicy, withRetries } from './retry.ts';

export interface Transport extends RetryPolicy {
  /** Ends in `/api/v1`. */
  baseUrl: string;
  apiKey: string;
  fetch: typeof fetch;
  requestTimeoutMs: number;
}

export interface ApiRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the base URL. */
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** Time that the server may deliberately take, on top of the usual time-out. */
  extraTimeMs?: number;
}

/** Calls the API, with retries by the policy and the same headers each time. */
export async function send<Body>(transport: Transport, request: ApiRequest): Promise<Body> {
  const url = transport.baseUrl + request.path;
  const headers = new Headers({ accept: 'application/json', authorization: `Bearer ${transport.apiKey}` });
  for (const [name, value] of Object.entries(request.headers ?? {})) headers.set(name, value);
  const init: RequestInit = { method: request.method, headers };
  if (request.body !== undefined) {
    headers.set('content-type', 'application/json');
    init.body = JSON.stringify(request.body);
  }
  const timeoutMs = transport.requestTimeoutMs + (request.extraTimeMs ?? 0);
  const read = (response: Response) => readJson<Body>(response);
  return withRetries(transport, request.signal, () =>
    exchange(transport, url, init, timeoutMs, request.signal, read),
  );
}

/** Needs no key: the link is signed, and may be on another host. */
export function download(transport: Transport, url: string, signal: AbortSignal | undefined): Promise<Blob> {
  return withRetries(transport, signal, () =>
    exchange(transport, url, {}, transport.requestTimeoutMs, signal, (response) => response.blob()),
  );
}

async function exchange<Content>(
  transport: Transport,
  url: string,
  init: RequestInit,
  timeoutMs: number,
  signal: AbortSignal | undefined,
  read: (response: Response) => Promise<Content>,
): Promise<Content> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  try {
    // A followed redirect would turn a POST into a GET; the API never sends one.
    const response = await transport.fetch(url, { ...init, signal: either, redirect: 'error' });
    if (!response.ok) throw new DarkroomError(response, await response.text());
    return await read(response);
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof DarkroomError ? error : new NetworkError(url, error);
  }
}

async function readJson<Body>(response: Response): Promise<Body> {
  const text = await response.text();
  try {
    return JSON.parse(text) as Body; // successful answers have the shapes of types.ts
  } catch {
    throw new DarkroomError(response, text);
  }
}
