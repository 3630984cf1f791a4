import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../base/db/database.ts';
import { systemClock } from '../base/std/clock.ts';
import { originOf } from '../base/std/origin-of.ts';
import { type Config, type Environment, readConfig } from '../config/config.ts';
import { SettingError } from '../errors.ts';
import { openStore } from '../images/open-store.ts';
import { configuredServant } from '../jobs/routes/live-routes.ts';
import { configuredRoute } from '../jobs/routes/report-routes.ts';
import { connectionsBeside, guardBeside } from './beside-server.ts';
import { readServedUrl } from './demo-account.ts';
import { checkAddress, checkServer } from './doctor/check-address.ts';
import { checkCalendar } from './doctor/check-calendar.ts';
import { checkCaptcha } from './doctor/check-captcha.ts';
import { checkCertificate } from './doctor/check-certificate.ts';
import { checkClock } from './doctor/check-clock.ts';
import { checkConnections } from './doctor/check-connections.ts';
import { checkCoverage, checkResolved } from './doctor/check-coverage.ts';
import { checkDatabase } from './doctor/check-database.ts';
import { checkDisk } from './doctor/check-disk.ts';
import { checkImages } from './doctor/check-images.ts';
import { checkMail } from './doctor/check-mail.ts';
import { checkNames } from './doctor/check-names.ts';
import { checkPolicy } from './doctor/check-policy.ts';
import { checkProcessor } from './doctor/check-processor.ts';
import { checkReplica } from './doctor/check-replica.ts';
import { checkWebhooks } from './doctor/check-webhooks.ts';
import { type Finding, reasonOf } from './doctor/finding.ts';
import { judgeSecret } from './judge-secret.ts';
import { isDatabaseThere, openDatabase } from './open-database.ts';
import { createOpenSettings } from './open-settings.ts';

const correct = 'correct this setting';

/** Changes and creates nothing, whether or not the server is running. Wrong settings end the examination. */
export async function* examineInstallation(env: Environment): AsyncGenerator<Finding> {
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    return yield { name: 'settings', status: 'fail', found: error.message, next: correct };
  }
  const given = config.settings.filter(({ source }) => source !== 'default').length;
  yield { name: 'settings', status: 'ok', found: `${given} set, all valid` };

  await using stack = new AsyncDisposableStack();
  const { finding, database, isCurrent } = await examineDatabase(config, stack);
  yield finding;
  const { dataDir, minFreeDiskBytes, databaseUrl, http, signing, guardrails, captcha } = config;
  const readable = isCurrent ? database : null;
  const { runs, ...server } = await checkServer(await servedUrl(config));
  const checks: [name: string, check: () => Promise<Finding | Finding[]>][] = [
    ...(database ? [['replica', () => checkReplica(database)] satisfies [string, unknown]] : []),
    ['disk', () => checkDisk({ dataDir, minFreeDiskBytes, holdsDatabase: databaseUrl === undefined })],
    ['processor', async () => checkProcessor()],
    ['clock', () => checkClock(systemClock, readable)],
    ...(readable ? [['secret', () => examineSecret(config, readable)] satisfies [string, unknown]] : []),
    ['images', () => examineImages(config)],
    ...(readable ? [['models', () => examineModels(config, readable)] satisfies [string, unknown]] : []),
    ['connections', () => examineConnections(config, readable)],
    ['dns', () => checkNames(urlsOf(config))],
    ['server', async () => server],
    ['address', () => checkAddress(http, runs)],
    ...(signing
      ? [['signing', () => checkCertificate(signing, systemClock.nowMs())] satisfies [string, unknown]]
      : []),
    ...(readable && guardrails
      ? [['policy', () => checkPolicy(readable.read, guardrails)] satisfies [string, unknown]]
      : []),
    ['mail', () => checkMail(config.mail)],
    ...(captcha ? [['captcha', () => checkCaptcha(captcha)] satisfies [string, unknown]] : []),
    ...(readable
      ? [
          ['webhooks', () => checkWebhooks(readable, guardBeside(config, readable))] satisfies [
            string,
            unknown,
          ],
        ]
      : []),
  ];
  for (const [name, check] of checks)
    yield* [await check().catch((error: unknown) => unfinished(name, error))].flat();
}

function unfinished(name: string, error: unknown): Finding {
  return {
    name,
    status: 'fail',
    found: `cannot be checked: ${reasonOf(error)}`,
    next: 'fix the other settings, then check again',
  };
}

async function examineDatabase(
  config: Config,
  stack: AsyncDisposableStack,
): Promise<{ finding: Finding; database: Database | null; isCurrent: boolean }> {
  const { databaseUrl: url } = config;
  const name = 'database';
  const none = { database: null, isCurrent: false };
  if (!isDatabaseThere(config))
    return { finding: { name, status: 'ok', found: 'none yet; the first start creates it' }, ...none };
  try {
    const database = stack.use(await openDatabase(config));
    const { isCurrent, ...finding } = await checkDatabase(database);
    return { finding, database, isCurrent };
  } catch (error) {
    const next =
      error instanceof SettingError
        ? correct
        : url
          ? 'check that the server of DATABASE_URL runs, lets us in and can be reached from here'
          : 'restore a backup of the data folder, or give its files to the user that runs the server';
    return { finding: { name, status: 'fail', found: reasonOf(error), next }, ...none };
  }
}

/** Skips a new installation's folder if it is missing, because checking it would create it. */
async function examineImages(config: Config): Promise<Finding> {
  const { storage, dataDir } = config;
  if (storage.kind === 's3') return checkImages(`the bucket ${storage.bucket}`, () => openStore(config));
  const folder = storage.folder ?? join(dataDir, 'images');
  if (!existsSync(folder))
    return { name: 'images', status: 'ok', found: `${folder} is not there yet; the first start creates it` };
  return checkImages(folder, () => openStore(config));
}

async function examineSecret(config: Config, database: Database): Promise<Finding> {
  const verdict = await judgeSecret(config, database);
  const name = 'secret';
  if (verdict.is === 'wrong') return { name, status: 'fail', found: verdict.found, next: verdict.next };
  const found =
    verdict.is === 'first'
      ? 'none yet; the first start creates it'
      : `${verdict.place} is that of this database`;
  return { name, status: 'ok', found };
}

async function examineModels(config: Config, database: Database): Promise<Finding[]> {
  const { readConnections } = connectionsBeside(config, database);
  const { catalogue, settings, unresolved } = await createOpenSettings(database, config, readConnections)();
  return [
    ...checkResolved(unresolved),
    ...checkCoverage(catalogue.list(), settings.map(configuredServant), config.doorAliases),
    ...checkCalendar(settings.map(configuredRoute), systemClock.nowMs()),
  ];
}

async function examineConnections(config: Config, database: Database | null): Promise<Finding[]> {
  const guard = guardBeside(config, database);
  const { connections, routes, providerKeys: keys } = config;
  if (!database) return checkConnections({ guard, routes, connections, keys });
  const { readConnections } = connectionsBeside(config, database);
  const { settings, ...credentials } = await createOpenSettings(database, config, readConnections)();
  return checkConnections({ guard, routes: settings, ...credentials });
}

function urlsOf({ http, databaseUrl, storage, connections, routes, mail }: Config): string[] {
  const bases = [...connections.values()].map(({ baseUrl }) => baseUrl);
  const ofRoutes = routes.map(({ settings }) => ('baseUrl' in settings ? settings.baseUrl : undefined));
  const endpoint = storage.kind === 's3' ? storage.endpoint : undefined;
  const all = [http.publicUrl, http.cdnUrl, databaseUrl, endpoint, mail?.url, ...bases, ...ofRoutes];
  return all.filter((url) => typeof url === 'string');
}

/** If the system chose the port (0), the data folder has the address. */
async function servedUrl({ http, dataDir }: Config): Promise<string> {
  const { host, port } = http;
  return port === 0 ? ((await readServedUrl(dataDir)) ?? originOf(http)) : originOf({ host, port });
}
