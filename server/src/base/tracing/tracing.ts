import type { SpanContext } from './trace-context.ts';

export type SpanKind = 'internal' | 'server' | 'client' | 'consumer';
export type SpanFields = Readonly<Record<string, string | number | null>>;

/** A finished operation, with times in milliseconds since 1970. */
export interface SpanRecord {
  context: SpanContext;
  parentId: string | undefined;
  name: string;
  kind: SpanKind;
  startMs: number;
  endMs: number;
  fields: SpanFields;
  /** Why the operation failed, as one word. */
  failure?: string | undefined;
}

export interface Tracing extends AsyncDisposable {
  /** The share of requests that begin a trace, among those whose client sent none. Null if tracing is off. */
  readonly share: number | null;
  record(span: SpanRecord): void;
}

export const noTracing: Tracing = {
  share: null,
  record() {},
  async [Symbol.asyncDispose]() {},
};

export interface TracingSettings {
  /** The URL of a collector that accepts OTLP over HTTP, without `/v1/traces`. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  /** The share (0 to 1) of requests that begin a trace here. */
  share: number;
}

/** `Date.now()` with fractions of a millisecond. */
export function preciseNow(): number {
  return performance.timeOrigin + performance.now();
}
