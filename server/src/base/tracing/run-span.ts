import { newSpan, type SpanContext } from './trace-context.ts';
import { preciseNow, type SpanFields, type SpanKind, type Tracing } from './tracing.ts';

interface SpanStart {
  parent: SpanContext | undefined;
  name: string;
  kind: SpanKind;
  fields?: SpanFields;
}

export interface Span {
  /** Undefined if the span is not traced. */
  context: SpanContext | undefined;
  end(fields?: SpanFields, failure?: string): void;
}

const untraced: Span = { context: undefined, end() {} };

export function beginSpan(tracing: Tracing, { parent, name, kind, fields = {} }: SpanStart): Span {
  if (tracing.share === null || !parent) return untraced;
  const context = newSpan(parent);
  const startMs = preciseNow();
  return {
    context,
    end(more = {}, failure) {
      const endMs = preciseNow();
      const all = { ...fields, ...more };
      tracing.record({ context, parentId: parent.spanId, name, kind, startMs, endMs, fields: all, failure });
    },
  };
}

export async function runSpan<T>(tracing: Tracing, start: SpanStart, work: () => Promise<T>): Promise<T> {
  const span = beginSpan(tracing, start);
  try {
    const result = await work();
    span.end();
    return result;
  } catch (error) {
    span.end({}, error instanceof Error ? error.name : String(error));
    throw error;
  }
}
