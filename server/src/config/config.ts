import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { CaptchaSettings } from '../accounts/captcha/captcha-settings.ts';
import type { PaymentSettings } from '../accounts/payments/open-payments.ts';
import type { RetentionSettings } from '../accounts/retention/retention.ts';
import { type OidcSettings, readOidc } from '../accounts/sign-in/oidc-settings.ts';
import { type SecondFactorPolicy, secondFactorPolicies } from '../accounts/sign-in/second-factor.ts';
import type { SignUpSettings } from '../accounts/sign-up/sign-up-settings.ts';
import { type AwsSettings, readAws } from '../base/aws/aws-settings.ts';
import { isBehindProxy, isThisMachine } from '../base/http/host-names.ts';
import type { RateLimit } from '../base/http/rate-limit.ts';
import { type LogFormat, type LogLevel, logLevels } from '../base/std/log.ts';
import type { TracingSettings } from '../base/tracing/tracing.ts';
import { SettingError } from '../errors.ts';
import type { MarkPolicy } from '../images/marks/origin-mark.ts';
import type { SigningSettings } from '../images/signing/certificates/read-certificate.ts';
import { noBucketCredentials, parseStorage, type Storage } from '../images/storage-url.ts';
import type { GuardrailPolicy } from '../jobs/guardrails/guardrail-settings.ts';
import { usualImageBytes } from '../jobs/queue/image-memory.ts';
import type { WorkerPolicy } from '../jobs/queue/worker.ts';
import type { ProviderKeys, RouteSettings } from '../jobs/routes/open-routes.ts';
import { type RouteEnvironment, resolveRoutes } from '../jobs/routes/resolve-routes.ts';
import type { LimitDefaults } from '../money/limits/limit.ts';
import type { DeliveryPolicy } from '../notify/webhooks/deliveries/deliverer.ts';
import type { MailSettings } from '../notify/webhooks/mail/mailer.ts';
import type { FileModels } from '../upstream/catalog/file-models.ts';
import type { ModelDefinition } from '../upstream/catalog/model-definition.ts';
import { specifiedModels } from '../upstream/catalog/specified-models.ts';
import type { Connection } from '../upstream/connections/connection.ts';
import { cloneFolder } from './clone-folder.ts';
import type { ConfigFile } from './config-file.ts';
import { reportSettings, type Setting, secretVariables } from './config-report.ts';
import { type DatabaseSettings, readDatabase } from './database-settings.ts';
import { type DoorName, readDoorAliases, readDoors } from './doors.ts';
import { readConnections } from './file-connections.ts';
import { readLimitDefaults, readRateLimit } from './file-limits.ts';
import { type HttpSettings, readHttp, readNetworks } from './http-settings.ts';
import { type LandingSettings, readLanding } from './landing-settings.ts';
import { readMail } from './mail-settings.ts';
import { readPayments } from './payment-settings.ts';
import { readPolicy } from './policy-settings.ts';
import { readChoice } from './read-choice.ts';
import { refuseUnknownVariables } from './refuse-unknown-variables.ts';
import { readKeys, readRouteEnvironment } from './route-environment.ts';
import { readSecretFiles } from './secret-files.ts';
import { readCaptcha, readSignUp } from './sign-up-settings.ts';
import { readSigning } from './signing-settings.ts';
import { readTracing } from './tracing-settings.ts';

export type Environment = Record<string, string | undefined>;

export const roles = ['all', 'api', 'worker'] as const;
export type Role = (typeof roles)[number];

export interface Config extends DatabaseSettings {
  role: Role;
  http: HttpSettings;
  dataDir: string;
  storage: Storage;
  /** Null without an S3 bucket. */
  aws: AwsSettings | null;
  /** The first balance of the demo account; null for no demo account. */
  demoCreditMicros: bigint | null;
  /** The first secret signs, and all verify. Empty to use the secret that the installation generated. */
  secrets: string[];
  allowNetworks: string[];
  currency: string;
  marking: MarkPolicy;
  /** Null if images are not signed. */
  signing: SigningSettings | null;
  /** Whether anyone may ask whether an image was made here. */
  publicVerify: boolean;
  /** The rise of a model's cost, in percent, above which operators are notified. */
  costRisePercent: number;
  guardrails: GuardrailPolicy | null;
  /** `keys` is null if the environment has none. */
  payments: PaymentSettings;
  /** Null if sign-up is off. */
  signUp: SignUpSettings | null;
  /** Null if no captcha protects the public forms from programs. */
  captcha: CaptchaSettings | null;
  /** The models of the configuration file. All others are in the database. */
  models: FileModels;
  connections: ReadonlyMap<string, Connection>;
  routeEnvironment: RouteEnvironment;
  routes: RouteSettings[];
  /** The providers' keys, which come only from the environment. */
  providerKeys: ProviderKeys;
  worker: WorkerPolicy;
  deliveries: DeliveryPolicy;
  maxQueuedMs: number;
  retention: RetentionSettings;
  renditionsAhead: boolean;
  sharing: boolean;
  statusPage: boolean;
  operatorDocs: boolean;
  landing: LandingSettings | null;
  /** The free space below which no input images are accepted. */
  minFreeDiskBytes: number;
  rateLimit: RateLimit | null;
  limitDefaults: LimitDefaults;
  /** The maximum number of client connections; null to derive it from the limit on open files. */
  maxConnections: number | null;
  /** The limit on requests with a missing or wrong key, per client IP address. */
  wrongKeyLimit: RateLimit | null;
  /** The bearer token for reading /metrics from other machines. */
  metricsToken: string | null;
  /** Null if tracing is off. */
  tracing: TracingSettings | null;
  /** Null if no emails are sent. */
  mail: MailSettings | null;
  log: { level: LogLevel; format: LogFormat };
  secondFactor: SecondFactorPolicy;
  oidc: OidcSettings | null;
  streamKeepAliveMs: number;
  /** The doors that are open. A door is another vendor's API that this server offers. */
  doors: DoorName[];
  /** The names that clients of other vendors' APIs use for our models. */
  doorAliases: ReadonlyMap<string, string>;
  settings: Setting[];
}

const megabyte = 1024 * 1024;
const minSecretLength = 32;

/** Reads and checks the environment and the configuration file. @throws SettingError */
export function readConfig(
  given: Environment,
  {
    role = 'all',
    logFormat = 'json',
    workers = 1,
  }: { role?: Role; logFormat?: LogFormat /** Workers that share this machine. */; workers?: number } = {},
): Config {
  const env = readSecretFiles(given, secretVariables);
  refuseUnknownVariables(env);
  const file = readFile(env.DARKROOM_CONFIG);
  const storage = parseStorage(env.DARKROOM_STORAGE);
  const models = {
    path: env.DARKROOM_CONFIG ?? '',
    definitions: (file.models ?? []) as ModelDefinition[],
    prices: file.prices ?? {},
    routes: file.routes ?? {},
  };
  const connections = readConnections(file, env);
  const routeEnvironment = readRouteEnvironment(env, Object.keys(models.routes));
  const routes = resolveRoutes(routedModels(models), routeEnvironment, connections);
  const http = readHttp(env);
  return {
    role,
    http,
    dataDir: dataDirOf(env),
    ...readDatabase(env, { isWorker: role === 'worker' }),
    storage,
    aws: readBucketCredentials(env, storage),
    secrets: readSecrets(env.DARKROOM_SECRET),
    allowNetworks: readNetworks(env, 'DARKROOM_ALLOW_NETWORKS'),
    currency: file.currency ?? 'USD',
    marking: {
      keepSigned: file.marking?.keepSigned ?? false,
      aigcProducer: file.marking?.aigcProducer ?? null,
    },
    signing: readSigning(file.marking?.signing),
    publicVerify: file.marking?.publicVerify ?? false,
    costRisePercent: file.alerts?.costRisePercent ?? 25,
    guardrails: readPolicy(file.policy, env.DARKROOM_POLICY_KEY),
    ...{ payments: readPayments(env, file), signUp: readSignUp(env, file), captcha: readCaptcha(env) },
    models,
    connections,
    routeEnvironment,
    routes,
    providerKeys: readKeys(env, models),
    worker: workerPolicy(file, workers),
    deliveries: deliveryPolicy,
    maxQueuedMs: (file.limits?.queuedSeconds ?? 86_400) * 1000,
    retention: { ...(file.retentionDays && { jobs: file.retentionDays }), ...file.retention },
    renditionsAhead: readChoice(env, 'DARKROOM_RENDITIONS', ['ahead', 'on-demand']) === 'ahead',
    ...readPages(env),
    minFreeDiskBytes: (file.limits?.minFreeDiskMegabytes ?? 256) * megabyte,
    rateLimit: readRateLimit(file.limits?.requestsPerSecond, file.limits?.requestBurst),
    limitDefaults: readLimitDefaults(file),
    maxConnections: file.limits?.connections ?? null,
    wrongKeyLimit: readRateLimit(file.limits?.wrongKeysPerSecond),
    metricsToken: env.DARKROOM_METRICS_TOKEN || null,
    tracing: readTracing(env),
    mail: readMail(env),
    log: { level: readChoice(env, 'DARKROOM_LOG_LEVEL', logLevels, 'info'), format: logFormat },
    secondFactor: readSecondFactor(env, http),
    oidc: readOidc(env),
    streamKeepAliveMs: 15_000, // common proxies drop connections that are silent for 30 to 60 s
    doors: readDoors(env.DARKROOM_DOORS),
    doorAliases: readDoorAliases(env.DARKROOM_DOOR_ALIASES, file.doorAliases),
    demoCreditMicros: readDemoCredit(env, role, routes),
    settings: reportSettings(env, file),
  };
}

/** The folder for all data: the clone's `data`, or for an installed package `data` in the working directory. */
export function dataDirOf(env: Environment): string {
  return env.DARKROOM_DATA_DIR ? resolve(env.DARKROOM_DATA_DIR) : resolve(cloneFolder ?? '.', 'data');
}

function readFile(path: string | undefined): ConfigFile {
  if (!path) return {};
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new SettingError(
      `DARKROOM_CONFIG: ${path} cannot be read as JSON: ${error instanceof Error ? error.message : error}`,
    );
  }
  // Loaded on first use: checking a file takes 10 MB, which a process without a file never needs.
  const { findMistake } = createRequire(import.meta.url)(
    './config-file.ts',
  ) as typeof import('./config-file.ts');
  const mistake = findMistake(json);
  if (mistake !== undefined) throw new SettingError(`DARKROOM_CONFIG: ${path}, ${mistake}.`);
  return json as ConfigFile; // checked above
}

function readPages(env: Environment): Pick<Config, 'sharing' | 'statusPage' | 'operatorDocs' | 'landing'> {
  const sharing = readChoice(env, 'DARKROOM_SHARING', ['false', 'true']) === 'true';
  const hasLanding = readChoice(env, 'DARKROOM_LANDING_PAGE', ['false', 'true']) === 'true';
  return {
    sharing,
    statusPage: readChoice(env, 'DARKROOM_STATUS_PAGE', ['false', 'true']) === 'true',
    operatorDocs: readChoice(env, 'DARKROOM_OPERATOR_DOCS', ['true', 'false']) === 'true',
    landing: hasLanding ? readLanding(env, { sharing }) : null,
  };
}

function readBucketCredentials(env: Environment, { kind }: Storage): AwsSettings | null {
  const aws = kind === 's3' ? readAws(env) : null;
  if (kind === 's3' && !aws) throw new SettingError(noBucketCredentials);
  return aws;
}

function readSecrets(text: string | undefined): string[] {
  if (!text) return [];
  const secrets = text.split(',').map((secret) => secret.trim());
  if (secrets.every((secret) => secret.length >= minSecretLength)) return secrets;
  throw new SettingError(
    `DARKROOM_SECRET must have at least ${minSecretLength} characters (several, newest first, separated by commas).`,
  );
}

/** The built-in models and the file's models, each with its routes from the file. */
function routedModels({ definitions, routes }: FileModels) {
  const ids = new Set([...specifiedModels, ...definitions].map(({ id }) => id));
  return [...ids].map((id) => ({
    id,
    routes: routes[id] ?? definitions.find((definition) => definition.id === id)?.routes,
  }));
}

function workerPolicy({ limits }: ConfigFile, workers: number): WorkerPolicy {
  return {
    concurrency: limits?.concurrency ?? 64,
    leaseMs: 20_000,
    heartbeatMs: 5_000,
    pollMs: 250,
    jobTimeoutMs: (limits?.jobSeconds ?? 900) * 1000,
    drainMs: 20_000,
    imageBytes: limits?.pictureMegabytes ? limits.pictureMegabytes * megabyte : usualImageBytes(workers),
  };
}

// One host or account can use only part of the slots. Attempts mostly wait for the network, so slots are cheap.
const deliveryPolicy: DeliveryPolicy = {
  concurrency: 512,
  perHost: 64,
  perAccount: 192,
  leaseMs: 40_000,
  pollMs: 250,
  drainMs: 3_000,
};

// The demo account gets the smaller credit unless this process's workers use only the free simulator. Anyone with the
// account's key can make images at the operator's expense.
const demoCreditMicros = 100_000_000n;
const demoCreditOfRealModelsMicros = 1_000_000n;

function readDemoCredit(env: Environment, role: Role, routes: readonly RouteSettings[]): bigint | null {
  if (readChoice(env, 'DARKROOM_DEMO_ACCOUNT', ['on', 'off']) === 'off') return null;
  return role === 'all' && routes.every(({ provider }) => provider === 'sketch')
    ? demoCreditMicros
    : demoCreditOfRealModelsMicros;
}

/** Reads who needs a second factor: by default operators, unless only this machine can reach the panel. */
function readSecondFactor(env: Environment, http: Config['http']): SecondFactorPolicy {
  const usual = isThisMachine(http.host) && !isBehindProxy(http) ? 'nobody' : 'operators';
  return readChoice(env, 'DARKROOM_SECOND_FACTOR', secondFactorPolicies, usual);
}
