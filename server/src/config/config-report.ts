import { providerKinds, providers } from '../upstream/providers/providers.ts';
import type { ConfigFile } from './config-file.ts';

/** A setting as operators see it: its value and source, never a secret. */
export interface Setting {
  name: string;
  value: string;
  source: 'environment' | 'file' | 'default';
  about: string;
}

type Show = (text: string) => string;

const plain: Show = (text) => text;
const secret: Show = () => 'set';
/** Shows an address without user name, password and query, any of which may hold a credential. */
const address: Show = (text) => {
  const url = URL.parse(text);
  if (!url) return 'set';
  if (url.username || url.password) url.username = '***';
  url.password = '';
  for (const [name, value] of [...url.searchParams])
    url.searchParams.set(name, shownInStorage.has(name) ? value : '***');
  url.hash = '';
  return url.href;
};
const shownInStorage = new Set(['endpoint', 'region']);

type Variable = [name: string, whenUnset: string, about: string, show: Show];

const shows = { secret, address, path: plain };
const providerVariables = providerKinds.flatMap((kind) =>
  providers[kind].environment.variables.map(
    ({ name, whenUnset, about, holds }): Variable => [name, whenUnset, about, shows[holds]],
  ),
);

const variables: Variable[] = [
  ['PORT', '3000', 'Port of the server.', plain],
  ['HOST', '127.0.0.1', 'Address that the server listens on.', plain],
  ['DARKROOM_HEALTH_PORT', 'none', 'Port for health and metrics alone, of every process.', plain],
  ['DATABASE_URL', 'SQLite in the data folder', 'PostgreSQL server, for more than one machine.', address],
  ['DATABASE_DIRECT_URL', 'none', 'The server itself, behind a pooler by transaction.', address],
  ['DATABASE_READ_URL', 'none', 'A replica of the server, for lists and figures.', address],
  ['DARKROOM_DATABASE_CONNECTIONS', '4, of a worker 3', 'Connections of each process to PostgreSQL.', plain],
  ['DARKROOM_DATA_DIR', './data', 'Folder of the database, the images and the secret.', plain],
  ['DARKROOM_PUBLIC_URL', 'the address it listens on', 'Address for browsers and clients.', plain],
  ['DARKROOM_CDN_URL', 'the public URL', 'Address of result links.', plain],
  ['DARKROOM_TRUSTED_PROXIES', 'none', 'Networks of trusted proxies, whose X-Forwarded-For is used.', plain],
  ['DARKROOM_CORS_ORIGINS', 'none', 'Origins whose pages may call the API.', plain],
  ['DARKROOM_SHUTDOWN_DELAY_SECONDS', '5', 'How long /readyz answers 503 before the server stops.', plain],
  ['DARKROOM_STORAGE', 'the data folder', 'Store of images.', address],
  ['AWS_ACCESS_KEY_ID', 'the role of the container or instance', 'Credentials for S3 and Bedrock.', secret],
  ['AWS_SECRET_ACCESS_KEY', 'as above', 'Credentials for S3 and Bedrock.', secret],
  ['AWS_SESSION_TOKEN', 'not set', 'Session token of temporary credentials.', secret],
  [
    'DARKROOM_SECRET',
    'generated, and kept in the data folder (SQLite) or in the database (PostgreSQL)',
    'Signs links and sessions.',
    secret,
  ],
  ['DARKROOM_DOORS', 'openai, gemini, mcp', 'APIs of others that are open; none for none.', plain],
  ['DARKROOM_DOOR_ALIASES', 'none', 'Names that clients of those APIs may use for models.', plain],
  [
    'DARKROOM_RENDITIONS',
    'ahead',
    'Whether smaller images are made when a job is done, or only when asked for.',
    plain,
  ],
  ['DARKROOM_SHARING', 'false', 'Whether people may make public links to images.', plain],
  [
    'DARKROOM_LANDING_PAGE',
    'false',
    'Whether strangers see at / what this is, instead of the page to sign in.',
    plain,
  ],
  ['DARKROOM_LANDING_EXAMPLES', 'two drawn here', 'The public link whose images strangers see at /.', secret],
  ['DARKROOM_STATUS_PAGE', 'false', 'Whether anybody may see at /status how the models are.', plain],
  ['DARKROOM_OPERATOR_DOCS', 'true', 'Whether /docs has the pages for operators.', plain],
  ['DARKROOM_SIGN_UP', 'off', 'People who can sign up by themselves: nobody, invited people, or all.', plain],
  ['DARKROOM_CAPTCHA', 'off', 'The captcha of the forms of sign-up and forgotten password.', plain],
  ['DARKROOM_CAPTCHA_SITE_KEY', 'none', 'The vendor’s key that pages show the check with.', plain],
  ['DARKROOM_CAPTCHA_SECRET', 'none', 'Secret that asks the vendor about a check.', secret],
  ['DARKROOM_POLICY_KEY', 'none', 'The `x-api-key` for the service of the policy.', secret],
  [
    'STRIPE_SECRET_KEY',
    'as in the panel',
    'Key of the Stripe account that takes payments for credit.',
    secret,
  ],
  ['STRIPE_WEBHOOK_SECRET', 'as in the panel', 'Secret with which Stripe signs its events.', secret],
  ['STRIPE_API_URL', 'that of Stripe', 'An emulator of Stripe, to try payments.', address],
  ['DARKROOM_DEMO_ACCOUNT', 'on', 'Whether the first start creates a demo account.', plain],
  ['DARKROOM_ALLOW_NETWORKS', 'none', 'Private networks that inputs and webhooks may reach.', plain],
  [
    'DARKROOM_SECOND_FACTOR',
    'operators, if other machines can reach the server',
    'People who need an authenticator to sign in with a password.',
    plain,
  ],
  ['DARKROOM_OIDC_ISSUER', 'not set', 'Identity provider that people may sign in with.', plain],
  ['DARKROOM_OIDC_CLIENT_ID', 'not set', 'Client id at the identity provider.', plain],
  ['DARKROOM_OIDC_CLIENT_SECRET', 'not set', 'Client secret at the identity provider.', secret],
  ['DARKROOM_OIDC_NAME', 'Single sign-on', 'Name on the sign-in button.', plain],
  ...providerVariables,
  [
    'DARKROOM_METRICS_TOKEN',
    'none: this machine only, unless it is behind a proxy',
    'Bearer token that may read /metrics from elsewhere.',
    secret,
  ],
  ['SMTP_URL', 'none: no emails', 'Mail server that emails to people are sent by.', address],
  ['DARKROOM_MAIL_FROM', 'none', 'Sender of those emails.', plain],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'none: no traces', 'Collector that traces are sent to.', address],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'none', 'Headers for the collector, such as a key.', secret],
  ['OTEL_SERVICE_NAME', 'darkroom', 'Name of this service in traces.', plain],
  ['OTEL_TRACES_SAMPLER', 'parentbased_always_on', 'Requests that are traced.', plain],
  [
    'OTEL_TRACES_SAMPLER_ARG',
    '1',
    'Share of the requests that are traced, by parentbased_traceidratio.',
    plain,
  ],
  ['DARKROOM_LOG_LEVEL', 'info', 'Lowest level that is logged.', plain],
  ['DARKROOM_CONFIG', 'none', 'The configuration file.', plain],
];

/** The names of all environment variables that are settings. */
export const settingNames: readonly string[] = variables.map(([name]) => name);

/**
 * Settings that `NAME_FILE` may read from a file, because they are secrets or addresses that may contain a
 * password.
 */
export const secretVariables: readonly string[] = variables
  .filter(([, , , show]) => show !== plain)
  .map(([name]) => name);

const fields: [name: Exclude<keyof ConfigFile, '$schema'>, whenUnset: string, about: string][] = [
  ['currency', 'USD', 'Label of amounts.'],
  ['prices', 'as listed with the models', 'Prices that differ from the default.'],
  ['routes', 'by the keys that are set, otherwise sketch', 'Upstream models that serve each model.'],
  ['doorAliases', 'none', 'Names that clients of other APIs may use for models.'],
  ['limits', 'the defaults', 'Concurrency, time-outs, rate limits, and limits of accounts and keys.'],
  ['marking', 'XMP that says how it was made', 'Marks of origin in results, and their signer.'],
  ['payments', '10 to 100, by Stripe', 'How much credit people buy at once, and with which taxes.'],
  ['policy', 'none', 'The check of prompts and images: a service, words, or both.'],
  ['signUp', 'nothing', 'Documents to accept at sign-up, free credit, and limits.'],
  ['retentionDays', '30', 'How long jobs are kept, with all that belongs to them.'],
  [
    'retention',
    'as the jobs',
    'Days for parts that are not kept as long as their job; and how many starred images stay.',
  ],
];

export function reportSettings(env: Record<string, string | undefined>, file: ConfigFile): Setting[] {
  return [
    ...variables.map(([name, whenUnset, about, show]): Setting => {
      const text = env[name];
      return text
        ? { name, value: show(text), source: 'environment', about }
        : { name, value: whenUnset, source: 'default', about };
    }),
    ...fields.map(([name, whenUnset, about]): Setting => {
      const value = file[name];
      if (value === undefined) return { name, value: whenUnset, source: 'default', about };
      return {
        name,
        value: typeof value === 'string' ? value : JSON.stringify(hideSecrets(value)),
        source: 'file',
        about,
      };
    }),
  ];
}

const webAddress = /^https?:\/\//i;
const secretNames = /key|secret|token|password|credential/i;

function hideSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hideSecrets);
  if (typeof value === 'string' && webAddress.test(value)) return address(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      secretNames.test(name) && typeof inner === 'string' ? '***' : hideSecrets(inner),
    ]),
  );
}
