import type { Log } from '../std/log.ts';
import { noTracing, type Tracing, type TracingSettings } from './tracing.ts';

/** Loads the span sender only if tracing is configured. */
export async function openTracing(
  settings: TracingSettings | null,
  about: { log: Log; version: string; role: string },
): Promise<Tracing> {
  if (!settings) return noTracing;
  return (await import('./otlp-tracing.ts')).createOtlpTracing(settings, about);
}
