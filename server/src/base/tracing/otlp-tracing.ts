import { userAgent } from '../../version.ts';
import type { Log } from '../std/log.ts';
import { encodeSpans } from './otlp-json.ts';
import type { SpanRecord, Tracing, TracingSettings } from './tracing.ts';

const sendEveryMs = 1_000;
const sendAtOnce = 512;
/** The maximum number of waiting spans. A long outage of the collector loses spans, but takes no more memory. */
const mostWaiting = 4_096;
const patienceMs = 5_000;
const tellEveryMs = 60_000;

/** Sends spans by OTLP over HTTP, in batches, in the background. */
export function createOtlpTracing(
  { endpoint, headers, serviceName, share }: TracingSettings,
  { log, version, role }: { log: Log; version: string; role: string },
): Tracing {
  const about = { 'service.name': serviceName, 'service.version': version, 'darkroom.role': role };
  let waiting: SpanRecord[] = [];
  let dropped = 0;
  let toldAt = Number.NEGATIVE_INFINITY;
  let sending = Promise.resolve();
  const timer = setInterval(flush, sendEveryMs).unref();

  function flush(): Promise<void> {
    const spans = waiting;
    waiting = [];
    if (spans.length > 0) sending = sending.then(() => send(spans));
    return sending;
  }

  async function send(spans: readonly SpanRecord[]): Promise<void> {
    try {
      const answer = await fetch(`${endpoint}/v1/traces`, {
        method: 'POST',
        headers: { 'user-agent': userAgent, ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(encodeSpans(spans, about)),
        signal: AbortSignal.timeout(patienceMs),
      });
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`it answers ${answer.status}`);
    } catch (error) {
      dropped += spans.length;
      tell(error);
    }
  }

  function tell(error: unknown): void {
    const now = performance.now();
    if (now - toldAt < tellEveryMs) return;
    toldAt = now;
    log.warn('traces.not_sent', { spans: dropped, reason: String(error) });
    dropped = 0;
  }

  return {
    share,
    record(span) {
      if (waiting.length >= mostWaiting) {
        dropped += 1;
        return;
      }
      waiting.push(span);
      if (waiting.length === sendAtOnce) void flush();
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await flush();
    },
  };
}
