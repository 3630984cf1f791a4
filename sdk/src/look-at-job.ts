import { NetworkError } from './errors.ts';
import { readEvents } from './read-events.ts';
import { withRetries } from './retry.ts';
import { type Answer, exchange, headersOf, type Transport } from './send.ts';
import type { Job } from './types.ts';

export interface Look {
  /** How long the server may delay an answer that is not a stream. */
  waitSeconds: number;
  /** How long the stream may be followed. */
  leftMs: number;
  signal?: AbortSignal | undefined;
  onJob: (job: Job) => void;
}

/** The longest wait for a stream to begin. The server begins its stream immediately, but a proxy may hold it back. */
const firstEventMs = 10_000;
/** A stream that is silent for this long is broken. The time is three times the 15 s of the server's keep-alive. */
const silenceMs = 45_000;
const leastStreamMs = 1_000;

/** Reads the job again, from a stream of its changes, or else from one answer that the server may delay. */
export function lookAtJob(transport: Transport, path: string, look: Look): Promise<Job> {
  const url = transport.baseUrl + path;
  const endAtMs = performance.now() + look.leftMs;
  const plainMs = transport.requestTimeoutMs + look.waitSeconds * 1000;
  const ask = (accept: string, timeoutMs: number, read: (answer: Answer) => Promise<Job>) => {
    const headers = headersOf(transport, { accept });
    if (look.waitSeconds > 0) headers.set('prefer', `wait=${look.waitSeconds}`);
    return exchange(transport, url, { headers }, timeoutMs, look.signal, read);
  };
  const askPlainly = () => ask('application/json', plainMs, ({ json }) => json<Job>());

  return withRetries(transport, look.signal, async (heard) => {
    if (!transport.streams || endAtMs - performance.now() < leastStreamMs) return askPlainly();
    let isHeard = false;
    const read = (answer: Answer) => {
      isHeard = true;
      return answer.type.startsWith('text/event-stream')
        ? readStream(answer, { url, look, endAtMs, heard })
        : answer.json<Job>();
    };
    const patienceMs = Math.min(firstEventMs, transport.requestTimeoutMs);
    try {
      return await ask('text/event-stream, application/json;q=0.5', patienceMs, read);
    } catch (error) {
      if (isHeard || !(error instanceof NetworkError) || !isTimeout(error.cause)) throw error;
      transport.streams = false;
      return askPlainly();
    }
  });
}

async function readStream(
  { body, restartTimeout }: Answer,
  { url, look, endAtMs, heard }: { url: string; look: Look; endAtMs: number; heard: () => void },
): Promise<Job> {
  const hear = () => {
    heard();
    restartTimeout(Math.min(silenceMs, Math.max(1, endAtMs - performance.now())));
  };
  let last: Job | undefined;
  try {
    for await (const data of readEvents(body, hear)) {
      last = JSON.parse(data) as Job; // the shape in types.ts
      look.onJob(last);
      if (last.status === 'done' || last.status === 'failed') return last;
    }
  } catch (error) {
    if (last === undefined || performance.now() < endAtMs) throw error;
  }
  if (last === undefined) throw new NetworkError(url, new Error('the stream ended before its first event'));
  return last;
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}
