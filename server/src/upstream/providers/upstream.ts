import type { Dispatcher } from 'undici';
import type { Guard } from '../../base/guard/guard.ts';
import { GuardError } from '../../base/guard/guard-error.ts';
import { loadOnce } from '../../base/std/memory/load-once.ts';
import { userAgent } from '../../version.ts';
import { answerMemory, smallAnswerBytes } from './answer-memory.ts';
import { type Body, UnreadableInput } from './body.ts';
import { abortFailure, failure, kindOfStatus, provenByStatus, shorten } from './failure.ts';
import { JsonScanner } from './json-scanner.ts';
import { pick } from './pick.ts';
import { type FailureKind, ProviderError } from './provider.ts';
import { retryAfterMs } from './retry-after.ts';

/** The HTTP client of one provider. It never retries or follows redirects. A call's only deadline is its signal. */
export interface Upstream {
  /** Returns the answer, whatever its status. @throws ProviderError if no complete answer arrives */
  call(request: UpstreamRequest): Promise<Answer>;
  /**
   * Makes an error from an answer. `found` is what the adapter knows beyond the status. `found.proven` is the failure
   * of the route that status and code prove, according to the vendor's documentation. It is null if they disprove what
   * the status alone would prove.
   */
  refusal(
    answer: Answer,
    found?: {
      kind?: FailureKind | undefined;
      retryAfterMs?: number | undefined;
      proven?: FailureKind | null | undefined;
      /** Whether the vendor may charge for the request anyway. */
      sent?: boolean;
    },
  ): ProviderError;
  [Symbol.asyncDispose](): Promise<void>;
}

interface UpstreamRequest {
  method?: 'GET' | 'POST' | 'PUT';
  url: string;
  headers?: Record<string, string | undefined>;
  body?: Body;
  signal: AbortSignal;
  maxBytes?: number;
}

export interface Answer {
  status: number;
  ok: boolean;
  /** The headers, by name in lower case. */
  headers: ReadonlyMap<string, string>;
  /** The body. If it is JSON, the images are left out; only `json()` returns them. */
  bytes: Buffer;
  /**
   * The parsed body, with images as bytes; undefined for a failure without JSON.
   * @throws ProviderError `bad_response` for a success without JSON
   */
  json(): unknown;
}

/** The maximum size of an answer. A 4K PNG is 20 to 30 MB, in base64 a third more, and Gemini may also send drafts. */
const maxAnswerBytes = 160 * 1024 * 1024;
/** The time limit for opening a connection. DNS, TCP and TLS together take well under a second. */
export const connectTimeoutMs = 10_000;
/** The maximum length of a description, enough to recognise an error but not to fill a log. */
const maxDetail = 500;

export interface Reach {
  openAgent(): Promise<Dispatcher>;
  refuse(error: GuardError): ProviderError;
}

/** `secrets` are redacted in errors, because an upstream may repeat them. */
export function createUpstream(
  guard: Guard,
  secrets: readonly (string | undefined)[] = [],
  reach: Reach = toServers(guard),
): Upstream {
  const hidden = secrets.filter((secret) => secret !== undefined && secret !== '');
  const hide = (text: string) =>
    hidden.reduce<string>((rest, secret) => rest.replaceAll(String(secret), '[hidden]'), text);
  // Opens the agent at the first call, so that startup does not load undici.
  const client = loadOnce(async () => ({ undici: await import('undici'), agent: await reach.openAgent() }));

  return {
    async call({ method = 'GET', url, headers = {}, body, signal, maxBytes = maxAnswerBytes }) {
      if (signal.aborted) throw abortFailure(signal);
      const { undici, agent } = await client();
      const stream = body?.stream();
      try {
        const answer = await undici.request(url, {
          dispatcher: agent,
          method,
          headers: { 'user-agent': userAgent, ...defined(headers), ...bodyHeaders(body) },
          body: stream ?? null,
          signal,
        });
        const answered = flatten(answer.headers);
        const received = await collect(answer.body, maxBytes, Number(answered.get('content-length') ?? 0));
        return toAnswer(answer.statusCode, answered, received, hide);
      } catch (error) {
        throw transportFailure(error, signal, hide, reach);
      } finally {
        stream?.destroy();
      }
    },

    refusal(answer, found = {}) {
      const kind = found.kind ?? kindOfStatus(answer.status);
      const wait = found.retryAfterMs ?? retryAfterMs(answer.headers);
      // If a gateway timed out, the server behind it may still finish and bill the request.
      return failure(kind, {
        retryAfterMs: wait,
        detail: hide(describe(answer)),
        sent: kind === 'timeout' || found.sent === true,
        proven: found.proven === undefined ? provenByStatus(answer.status) : (found.proven ?? undefined),
      });
    },

    async [Symbol.asyncDispose]() {
      await (await client.forget())?.agent.destroy();
    },
  };
}

/** Reaches servers whose addresses operators have set. They may be in private networks, see `Guard.serverAgent`. */
function toServers(guard: Guard): Reach {
  return {
    // The agent has no time limits, because a synchronous 4K image can take longer than the 300 s that undici waits for
    // headers. The signal of each call is its time limit.
    openAgent: () => guard.serverAgent({ headersTimeout: 0, bodyTimeout: 0, connectTimeoutMs }),
    refuse: (error) => failure('network', { detail: error.message, cause: error }),
  };
}

function defined(headers: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}

function bodyHeaders(body: Body | undefined): Record<string, string> {
  return body ? { 'content-type': body.type, 'content-length': String(body.bytes) } : {};
}

interface Received {
  bytes: Buffer;
  /** @throws SyntaxError */
  parse(): unknown;
}

/** The beginning of JSON: an object or a list, possibly after a byte order mark or spaces. */
const jsonStart = /^(?:\xef\xbb\xbf)?\s*[[{]/;

/** @param expected the number of bytes that the sender announced, or 0 */
async function collect(stream: AsyncIterable<Buffer>, maxBytes: number, expected: number): Promise<Received> {
  const chunks: Buffer[] = [];
  let scanner: JsonScanner | undefined;
  let total = 0;
  const memory = answerMemory.getStore();
  const holdMemory = () => memory?.(Math.min(expected, maxBytes));
  // Waits for memory first, because the scanner allocates memory for the whole answer before it reads: growing in steps
  // would leave much garbage.
  let isLarge = expected > smallAnswerBytes;
  if (isLarge) await holdMemory();
  for await (const chunk of stream) {
    if (total === 0 && jsonStart.test(chunk.toString('latin1', 0, 20)))
      scanner = new JsonScanner(Math.min(expected, maxBytes));
    total += chunk.length;
    if (total > maxBytes)
      throw failure('bad_response', { sent: true, detail: `more than ${maxBytes} bytes` });
    if (!isLarge && total > smallAnswerBytes) {
      isLarge = true;
      await holdMemory();
    }
    if (scanner) scanner.write(chunk);
    else chunks.push(chunk);
  }
  if (scanner) return { bytes: scanner.text(), parse: () => scanner.parse() };
  const bytes = Buffer.concat(chunks, total);
  return { bytes, parse: () => JSON.parse(bytes.toString('utf8')) };
}

function flatten(headers: Record<string, string | string[] | undefined>): Map<string, string> {
  const pairs = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), String(value ?? '')] as const,
  );
  return new Map(pairs);
}

function toAnswer(
  status: number,
  headers: ReadonlyMap<string, string>,
  { bytes, parse }: Received,
  hide: (text: string) => string,
): Answer {
  const ok = status >= 200 && status < 300;
  const answer: Answer = {
    status,
    ok,
    headers,
    bytes,
    json() {
      try {
        return parse();
      } catch (error) {
        if (!ok) return undefined;
        throw failure('bad_response', { sent: true, detail: hide(describe(answer)), cause: error });
      }
    },
  };
  return answer;
}

/**
 * Describes an answer for logs and operators. From a success, it quotes only the error field. If it quoted more, people
 * who may set a provider's address could read any answer of the server there.
 */
function describe(answer: Answer): string {
  if (answer.status < 400) {
    const type = answer.headers.get('content-type')?.split(';')[0] ?? 'of no type';
    const error = errorIn(answer);
    return shorten(`HTTP ${answer.status}: ${error ?? `${answer.bytes.length} bytes, ${type}`}`, maxDetail);
  }
  const start = answer.bytes
    .subarray(0, maxDetail * 4)
    .toString('utf8')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return shorten(`HTTP ${answer.status}: ${start}`, maxDetail);
}

function errorIn({ bytes }: Answer): string | undefined {
  try {
    const json: unknown = JSON.parse(bytes.toString('utf8'));
    const error = pick(json, 'error') ?? pick(json, 'node_errors');
    return error === undefined || error === null ? undefined : JSON.stringify(error);
  } catch {
    return undefined;
  }
}

/** Errors that occur before a connection is open, so that no image was made or billed. */
const unsent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const timeouts = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']);
const network = /^(E[A-Z]+|UND_ERR_\w+|ERR_(SSL|TLS)_\w+|CERT_\w+|HPE_\w+|(?=\w*CERT)\w+|UNABLE_TO_\w+)$/;

function transportFailure(
  error: unknown,
  signal: AbortSignal,
  hide: (text: string) => string,
  reach: Reach,
): unknown {
  if (signal.aborted) return abortFailure(signal, { sent: true });
  if (error instanceof UnreadableInput) return error.cause;
  if (error instanceof GuardError) return reach.refuse(error);
  if (!(error instanceof Error) || error instanceof ProviderError) return error;
  const code = errorCode(error);
  if (!network.test(code)) return error;
  const kind = timeouts.has(code) ? 'timeout' : 'network';
  const sent = !unsent.has(code);
  // If the request was sent, the failure proves nothing about the route, because the request itself may have broken the
  // connection.
  const proven = sent ? undefined : kind;
  return failure(kind, { sent, proven, detail: hide(`${code}: ${error.message}`), cause: error });
}

function errorCode(error: Error): string {
  if ('code' in error && typeof error.code === 'string') return error.code;
  // With Happy Eyeballs, one error covers all addresses that were tried.
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return errorCode(error.errors[0]);
  return error.cause instanceof Error ? errorCode(error.cause) : '';
}
