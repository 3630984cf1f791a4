import type { VariableGroup } from './variable.ts';

export const networkVariables: VariableGroup = {
  title: 'Addresses and networks',
  variables: [
    { name: 'PORT', whenUnset: '3000', about: 'Port of the server.', holds: 'text' },
    {
      name: 'HOST',
      whenUnset: '127.0.0.1',
      about: 'Address that the server listens on.',
      holds: 'text',
    },
    {
      name: 'DARKROOM_HEALTH_PORT',
      whenUnset: 'none',
      about: 'Port for health checks and metrics only.',
      holds: 'text',
      more: 'Every process serves `/livez`, `/readyz` and `/metrics` on such a port. With `--processes N` this is the first of N ports, one for each process.',
    },
    {
      name: 'DARKROOM_PUBLIC_URL',
      whenUnset: 'the address it listens on',
      about: 'Address for browsers and clients.',
      holds: 'text',
      more: 'Set it behind a proxy, to use a host name, and if `HOST` is `0.0.0.0` or `::`. `https://` makes cookies secure and turns on HSTS, subdomains included.',
    },
    {
      name: 'DARKROOM_CDN_URL',
      whenUnset: 'the public URL',
      about: 'Address of result links.',
      holds: 'text',
    },
    {
      name: 'DARKROOM_TRUSTED_PROXIES',
      whenUnset: 'none',
      about: 'Networks of trusted proxies, whose X-Forwarded-For is used.',
      holds: 'text',
      more: 'For example `127.0.0.1, 10.0.3.0/24`. See [Behind a proxy](guides/operating.md#behind-a-proxy).',
    },
    {
      name: 'DARKROOM_ALLOW_NETWORKS',
      whenUnset: 'none',
      about: 'Private networks that inputs and webhooks may reach.',
      holds: 'text',
      more: 'For example `10.0.0.0/8`, in addition to the public internet. Links to results in the answers of upstreams may lead there, too. Some addresses [stay closed](guides/operating.md#networks).',
    },
    {
      name: 'DARKROOM_CORS_ORIGINS',
      whenUnset: 'none',
      about: 'Origins whose pages may call the API.',
      holds: 'text',
      more: 'For example `https://app.example.com, http://localhost:5173`; `*` is not allowed. The panel stays closed to them. Give pages [client tokens](guides/browsers.md), not keys.',
    },
    {
      name: 'DARKROOM_SHUTDOWN_DELAY_SECONDS',
      whenUnset: '5',
      about: 'How long /readyz answers 503 before the server stops listening.',
      holds: 'text',
      more: 'See [Behind a load balancer](guides/operating.md#behind-a-load-balancer).',
    },
    {
      name: 'DARKROOM_CONFIG',
      whenUnset: 'none',
      about: 'The configuration file.',
      holds: 'text',
      more: 'It is JSON with [these fields](#the-configuration-file).',
    },
  ],
};
