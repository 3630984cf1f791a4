import cluster from 'node:cluster';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Config, Role } from './config/config.ts';

// Caches compiled code for later imports, in our own folder. In the system's temporary folder, other users could plant
// code.
enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/darkroom'));
const { readConfig, roles } = await import('./config/config.ts');
const { DatabaseRefused, DatabaseUnavailable } = await import('./base/db/database.ts');
const { SettingError } = await import('./errors.ts');
const { planProcesses, readProcessCount } = await import('./start/processes/plan-processes.ts');
const { logFormats } = await import('./base/std/log.ts');
const { onceOrphaned } = await import('./start/processes/orphaned.ts');

/** The time that running requests and attempts have to finish, once load balancers have been notified. */
const lastResortMs = 25_000;
/** Within this time, a second SIGINT may be the same Ctrl-C: the terminal sends one, and npm forwards another. */
const sameSignalMs = 500;
const isTerminal = process.stdout.isTTY === true;
/** The time from the start until the memory is compacted. The requests that waited for the start come first. */
const compactAfterMs = 2_000;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      role: { type: 'string', default: 'all' },
      processes: { type: 'string' },
      workers: { type: 'string', default: '1' },
      'log-format': { type: 'string', default: isTerminal ? 'pretty' : 'json' },
    },
    allowPositionals: true,
  });
  const role = roles.find((name) => name === values.role);
  if (!role) throw new SettingError(`--role is "${values.role}"; it must be one of ${roles.join(', ')}.`);
  const logFormat = logFormats.find((name) => name === values['log-format']);
  if (!logFormat)
    throw new SettingError(
      `--log-format is "${values['log-format']}"; it must be one of ${logFormats.join(', ')}.`,
    );
  const count = readProcessCount(values.processes);

  const config = readConfig(process.env, { role, logFormat, workers: Number(values.workers) });
  if (values.processes !== undefined && config.databaseUrl === undefined) process.stdout.write(onlyOne);
  else if (count > 1)
    return superviseAll(config, planProcesses(count, role), [...positionals, '--log-format', logFormat]);
  await serve(config);
}

const onlyOne = '\n  SQLite takes one process: --processes needs PostgreSQL (DATABASE_URL).\n';

/** Runs the parent process, which answers no requests but keeps its children running, on one port and with one log. */
async function superviseAll(config: Config, all: Role[], args: readonly string[]): Promise<void> {
  const { createLog } = await import('./base/std/log.ts');
  const { startProcesses } = await import('./start/processes/supervisor.ts');
  await refuseTakenPorts(config);
  const log = createLog(config.log);
  const stopped = untilStopped();
  const supervisor = await startProcesses({ roles: all, args, healthPort: config.http.healthPort, log });
  if (supervisor) {
    const signal = await stopped;
    exitOnSecondInterrupt();
    log.info('processes.stopping', { signal });
    if (!(await supervisor.drain(signal))) process.exitCode = 1;
  } else process.exitCode = 1;
  log.flush();
}

async function serve(config: Config): Promise<void> {
  await refuseTakenPorts(config);
  // Imported after the configuration is checked, so that a refusal is quick.
  const { startApp } = await import('./app.ts');
  const { nameSetting } = await import('./start/name-setting.ts');
  const { banner } = await import('./start/banner.ts');
  const { keepPanelLink } = await import('./start/demo-account.ts');
  const { collectGarbage } = await import('./base/std/memory/collect-garbage.ts');
  const { splitsLinks } = await import('./base/std/origin-of.ts');

  const app = await startApp(config).catch((error: unknown) => {
    throw nameSetting(error, config);
  });
  const stopped = untilStopped();
  // A worker has no link, and leaves the file that an API process wrote.
  const keepsLink = !isTerminal && app.url !== null;
  const linkFile = keepsLink ? await keepPanelLink(config.dataDir, app.panelLink) : null;
  const isSplit = cluster.isPrimary && splitsLinks(config); // children of one parent share host and port
  if (isSplit) app.log.warn('public_url.missing', { role: config.role, reason: 'links differ by process' });
  const greeting = banner(config, { ...app, isSplit }, linkFile);
  if (cluster.isPrimary) process.stdout.write(greeting);
  const ms = Math.round(performance.now());
  app.log.info('server.started', { role: config.role, url: app.url, ms });
  cluster.worker?.send(greeting); // the parent shows it once all are ready

  // Returns memory that V8 would keep after the start: 45 of 165 MB.
  setTimeout(() => collectGarbage('last-resort'), compactAfterMs).unref();

  const signal = await stopped;
  const { shutdownDelayMs } = config.http;
  // Ctrl-C at a terminal need not wait for load balancers.
  if (signal !== 'SIGINT') app.retire(shutdownDelayMs);
  exitOnSecondInterrupt();
  setTimeout(() => process.exit(1), shutdownDelayMs + lastResortMs).unref();
  app.log.info('server.stopping', { signal });
  await app[Symbol.asyncDispose]();
}

/** Refuses ports in use. For child processes, the parent has checked the shared port. @throws SettingError */
async function refuseTakenPorts(config: Config): Promise<void> {
  const { checkPorts } = await import('./start/check-ports.ts');
  const { nameSetting } = await import('./start/name-setting.ts');
  await checkPorts(config, { isShared: cluster.isWorker }).catch((error: unknown) => {
    throw nameSetting(error, config);
  });
}

/** Waits for a signal to stop. Must be called before the start is announced, because signals may come from then on. */
function untilStopped(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    // The listeners are never removed, because the signal may come twice: to the whole group from a supervisor, and
    // forwarded by npm.
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => resolve(name));
    cluster.worker?.once('disconnect', () => {
      // The parent was killed. Without this line, Node would end this process immediately, because it did not
      // disconnect itself.
      if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
      resolve('SIGTERM');
    });
    // Without this, the process would outlive npm, which exits without passing the signal on.
    if (process.env.npm_lifecycle_event !== undefined) onceOrphaned(() => resolve('SIGTERM'));
  });
}

/** Makes a second Ctrl-C exit immediately. Interrupted jobs run again after the next start. */
function exitOnSecondInterrupt(): void {
  const began = performance.now();
  process.on('SIGINT', () => {
    if (performance.now() - began > sameSignalMs) process.exit(130);
  });
}

process.on('unhandledRejection', (reason) => {
  process.stderr.write(`${reason instanceof Error ? reason.stack : reason}\n`);
  process.exit(70);
});

try {
  await main();
} catch (error) {
  if (isPlain(error)) process.stderr.write(`Darkroom cannot start: ${error.message}\n`);
  else process.stderr.write(`Darkroom cannot start: ${error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 1;
} finally {
  // The channel to a parent would keep this process alive.
  if (cluster.worker?.isConnected()) cluster.worker.disconnect();
}

/** Whether people at the terminal can fix the error, so that its message is enough. Other errors keep their stack. */
function isPlain(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const known = [SettingError, DatabaseRefused, DatabaseUnavailable].some((kind) => error instanceof kind);
  return known || ('code' in error && isOfTheWorld(String(error.code)));
}

/** Matches error codes of the system and of PostgreSQL. Node's own codes mean defects, except for unknown options. */
function isOfTheWorld(code: string): boolean {
  return !code.startsWith('ERR_') || code.startsWith('ERR_PARSE_ARGS_');
}
