import { randomFillSync } from 'node:crypto';

/** A place in a trace: one of our spans, or a client's span. */
export interface SpanContext {
  traceId: string;
  spanId: string;
}

const header = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:$|-)/;
const sampled = 1;

/** Parses W3C Trace Context. `unsampled` if the client does not record its trace; undefined if missing or malformed. */
export function parseTraceparent(text: string | undefined): SpanContext | 'unsampled' | undefined {
  const [, traceId, spanId, flags] = header.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return (Number.parseInt(flags, 16) & sampled) === 0 ? 'unsampled' : { traceId, spanId };
}

export function traceparentOf({ traceId, spanId }: SpanContext): string {
  return `00-${traceId}-${spanId}-01`;
}

export function newSpan(parent: SpanContext | undefined): SpanContext {
  return {
    traceId: parent?.traceId ?? randomHex(16),
    spanId: randomHex(8),
  };
}

// Random bytes are fetched for many ids together, because a call for each id took a fifth of a span's time.
const random = Buffer.alloc(4_096);
let used = random.length;

function randomHex(bytes: number): string {
  if (used + bytes > random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += bytes;
  return random.toString('hex', used - bytes, used);
}

// A traced request's id contains its place in the trace. Jobs store that id, so tracing needs no other column.
const traced = /^req_([\da-f]{32})([\da-f]{16})$/;

export function requestIdOf({ traceId, spanId }: SpanContext): string {
  return `req_${traceId}${spanId}`;
}

/** A traced request's place in its trace; undefined for a request that was not traced. */
export function contextOf(requestId: string | null): SpanContext | undefined {
  const [, traceId, spanId] = traced.exec(requestId ?? '') ?? [];
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId };
}
