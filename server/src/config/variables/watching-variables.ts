import type { VariableGroup } from './variable.ts';

export const watchingVariables: VariableGroup = {
  title: 'Log, metrics and traces',
  variables: [
    {
      name: 'DARKROOM_LOG_LEVEL',
      whenUnset: 'info',
      about: 'Lowest level that is logged.',
      holds: 'text',
      more: '`debug`, `info`, `warn`, `error` or `silent`. Log lines are text in a terminal and JSON elsewhere; `--log-format pretty` and `--log-format json` choose one for both. No line has a secret, and only `debug` lines have prompts.',
    },
    {
      name: 'DARKROOM_METRICS_TOKEN',
      whenUnset: 'none: this machine only, unless it is behind a proxy',
      about: 'Bearer token for reading /metrics from other machines.',
      holds: 'secret',
      more: 'Without a token, only this machine can read /metrics. If `DARKROOM_PUBLIC_URL` names another host or `DARKROOM_TRUSTED_PROXIES` is set, this machine cannot either, because a local proxy looks the same.',
    },
    {
      name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
      whenUnset: 'none: no traces',
      about: 'Collector that traces are sent to.',
      holds: 'address',
      more: 'OTLP over HTTP, for example `http://collector:4318`. See [Traces](guides/operating.md#traces).',
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
      about: 'Which requests are traced.',
      holds: 'text',
      more: '`parentbased_traceidratio` traces a share of them. Requests that a client already traces are always traced.',
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
