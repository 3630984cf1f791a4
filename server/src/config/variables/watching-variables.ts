import type { VariableGroup } from './variable.ts';

export const watchingVariables: VariableGroup = {
  title: 'Log, metrics and traces',
  variables: [
    {
      name: 'DARKROOM_LOG_LEVEL',
      whenUnset: 'info',
      about: 'Lowest level that is logged.',
      holds: 'text',
      more: '`debug`, `info`, `warn`, `error` or `silent`. Lines are JSON, and text at a terminal, unless `--log-format pretty` or `--log-format json` says otherwise. No line has a secret, or a prompt above `debug`.',
    },
    {
      name: 'DARKROOM_METRICS_TOKEN',
      whenUnset: 'none: this machine only, unless it is behind a proxy',
      about: 'Bearer token that may read /metrics from elsewhere.',
      holds: 'secret',
      more: 'Otherwise nobody may if `DARKROOM_PUBLIC_URL` names another host or `DARKROOM_TRUSTED_PROXIES` is set, since a proxy here looks the same as this machine.',
    },
    {
      name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
      whenUnset: 'none: no traces',
      about: 'Collector that traces are sent to.',
      holds: 'address',
      more: 'OTLP over HTTP, such as `http://collector:4318`: [Traces](guides/operating.md#traces).',
    },
    {
      name: 'OTEL_EXPORTER_OTLP_HEADERS',
      whenUnset: 'none',
      about: 'Headers for the collector, such as a key.',
      holds: 'secret',
      more: '`api-key=…,x-tenant=…`.',
    },
    {
      name: 'OTEL_SERVICE_NAME',
      whenUnset: 'darkroom',
      about: 'Name of this service in traces.',
      holds: 'text',
    },
    {
      name: 'OTEL_TRACES_SAMPLER',
      whenUnset: 'parentbased_always_on',
      about: 'Requests that are traced.',
      holds: 'text',
      more: 'With `parentbased_traceidratio` a share of them; requests that a client already traces always are.',
    },
    {
      name: 'OTEL_TRACES_SAMPLER_ARG',
      whenUnset: '1',
      about: 'Share of the requests that are traced, by parentbased_traceidratio.',
      holds: 'text',
      more: 'From 0 to 1.',
    },
  ],
};
