import type { TracingSettings } from '../base/tracing/tracing.ts';
import { SettingError } from '../errors.ts';

/** Null if tracing is off. @throws SettingError */
export function readTracing(env: Record<string, string | undefined>): TracingSettings | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers = '' } = env;
  if (!endpoint) return null;
  const url = URL.parse(endpoint);
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new SettingError(
      `OTEL_EXPORTER_OTLP_ENDPOINT is "${endpoint}"; it must be an address such as http://collector:4318.`,
    );
  return {
    endpoint: endpoint.replace(/(?<!\/)\/+$/, ''),
    headers: Object.fromEntries(headers.split(',').filter(Boolean).map(readHeader)),
    serviceName: env.OTEL_SERVICE_NAME || 'darkroom',
    share: readShare(env),
  };
}

const samplers = ['parentbased_always_on', 'parentbased_traceidratio'];

function readShare(env: Record<string, string | undefined>): number {
  const { OTEL_TRACES_SAMPLER: sampler = samplers[0] ?? '', OTEL_TRACES_SAMPLER_ARG: text = '1' } = env;
  if (!samplers.includes(sampler))
    throw new SettingError(`OTEL_TRACES_SAMPLER is "${sampler}"; it must be ${samplers.join(' or ')}.`);
  if (sampler === samplers[0]) return 1;
  const share = Number(text);
  if (text.trim() !== '' && share >= 0 && share <= 1) return share;
  throw new SettingError(`OTEL_TRACES_SAMPLER_ARG is "${text}"; it must be a number from 0 to 1.`);
}

/** Reads `name=value`, with the value encoded as in a URL. */
function readHeader(text: string): [string, string] {
  const [, name, value] = /^\s*([\w-]+)\s*=\s*([\x21-\x7e]*)\s*$/.exec(text) ?? [];
  try {
    if (name !== undefined && value !== undefined) return [name.toLowerCase(), decodeURIComponent(value)];
  } catch {
    // The value is not encoded as in a URL.
  }
  throw new SettingError(
    'OTEL_EXPORTER_OTLP_HEADERS must be pairs such as api-key=abc,x-tenant=images, with values as in a URL.',
  );
}
