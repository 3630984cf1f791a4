import type { SpanFields, SpanKind, SpanRecord } from './tracing.ts';

// https://github.com/open-telemetry/opentelemetry-proto, trace/v1, as JSON: ids in hexadecimal, large numbers as texts.
const kinds: Record<SpanKind, number> = { internal: 1, server: 2, client: 3, consumer: 5 };
const failed = 2;

export function encodeSpans(spans: readonly SpanRecord[], about: SpanFields): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: encodeFields(about) },
        scopeSpans: [{ scope: { name: 'darkroom' }, spans: spans.map(encodeSpan) }],
      },
    ],
  };
}

function encodeSpan({ context, parentId, name, kind, startMs, endMs, fields, failure }: SpanRecord): object {
  return {
    ...context,
    ...(parentId !== undefined && { parentSpanId: parentId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: encodeFields(fields),
    ...(failure !== undefined && { status: { code: failed, message: failure } }),
  };
}

function encodeFields(fields: SpanFields): object[] {
  return Object.entries(fields).flatMap(([key, value]) =>
    value === null ? [] : [{ key, value: encodeValue(value) }],
  );
}

function encodeValue(value: string | number): object {
  if (typeof value === 'string') return { stringValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** Rounds to microseconds, the precision of the clock. */
function nanoseconds(ms: number): string {
  return `${Math.round(ms * 1000)}000`;
}
