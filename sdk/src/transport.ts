import type { Retry } from './retry.ts';
import type { Transport } from './send.ts';
import { version } from './version.ts';

export interface TransportOptions {
  /** The name of your program, such as `shop/1.2`. It precedes the SDK's name in `User-Agent`. */
  userAgent?: string;
  /** Replaces the runtime's own `fetch`. */
  fetch?: typeof fetch;
  /** The time limit for one exchange. Default 60 s: a server may fetch 14 images before it accepts a job. */
  requestTimeoutMs?: number;
  /**
   * The maximum number of retries after `429`, `502`, `503`, `504` or no answer, and after `500` for requests that only
   * read or have an idempotency key. Default 5; 0 turns them off.
   */
  maxRetries?: number;
  /** The time after the first attempt within which a retry may begin. Default 90 s. */
  retryForMs?: number;
  /** Called before each retry. */
  onRetry?: (retry: Retry) => void;
}

/** @param complaint the error message for a text that cannot be a key */
export function openTransport(
  baseUrl: string,
  key: string,
  complaint: string,
  options: TransportOptions,
): Transport {
  // This check comes first, because the runtime's error about the header would contain the whole key.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError(complaint);
  return {
    baseUrl,
    apiKey: key,
    userAgent: agentOf(options.userAgent),
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    requestTimeoutMs: options.requestTimeoutMs ?? 60_000,
    maxRetries: options.maxRetries ?? 5,
    retryForMs: options.retryForMs ?? 90_000,
    onRetry: options.onRetry,
    streams: true,
  };
}

/** Returns the `User-Agent` to send; undefined in pages and workers, where the browser sends its own. */
function agentOf(program: string | undefined): string | undefined {
  const { process } = globalThis as { process?: { versions?: { node?: string } } }; // Node, Bun and Deno have it
  if (process?.versions?.node === undefined || 'document' in globalThis) return undefined;
  return [program, `darkroom-sdk/${version}`].filter((part) => part !== undefined).join(' ');
}
/** Returns the option if it was given, else the environment variable. @throws TypeError if neither is set */
export function settingOf(given: string | undefined, option: string, variable: string): string {
  const text = given ?? environmentOf()?.[variable];
  if (text === undefined) throw new TypeError(`${option} is missing: give it, or set ${variable}`);
  return text;
}

function environmentOf(): Record<string, string | undefined> | undefined {
  return (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env; // Node, Bun and Deno have it
}
