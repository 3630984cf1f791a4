import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Backoff, backoffMs } from '../../base/std/backoff.ts';
import type { Log } from '../../base/std/log.ts';
import type { Role } from '../../config/config.ts';
import { relayLines } from './relay-lines.ts';

export interface Supervisor {
  /** Stops the workers first, while requests are still answered. Resolves to true if all ended without an error. */
  drain(signal: NodeJS.Signals): Promise<boolean>;
}

export interface SupervisorOptions {
  roles: readonly Role[];
  args: readonly string[];
  /** The health port of the first process; each further process has the next port. Null for none. */
  healthPort: number | null;
  log: Log;
}

const restarts: Backoff = { firstMs: 200, capMs: 30_000, jitter: 0.2 };
const wellMs = 60_000;
/**
 * How long other processes wait for workers to end. Only workers with slow upstream calls take longer. All processes
 * must end within 30 s.
 */
const workersFirstMs = 15_000;

interface Child {
  role: Role;
  index: number;
  failures: number;
  worker: Worker | null;
  restart: NodeJS.Timeout | null;
}

/** Resolves when all processes are ready, or to undefined if the first could not start and has said why. */
export async function startProcesses(options: SupervisorOptions): Promise<Supervisor | undefined> {
  const { log } = options;
  const children = options.roles.map(
    (role, index): Child => ({ role, index, failures: 0, worker: null, restart: null }),
  );
  let isStopping = false;
  let endedWell = true;

  function start(child: Child): Worker {
    const began = performance.now();
    const worker = fork(options, child);
    child.worker = worker;
    worker.once('exit', (code, signal) => {
      child.worker = null;
      if (isStopping) {
        endedWell &&= code === 0;
        return;
      }
      child.failures = performance.now() - began >= wellMs ? 1 : child.failures + 1;
      const restartMs = backoffMs(restarts, child.failures);
      child.restart = setTimeout(() => start(child), restartMs);
      log.error('process.ended', {
        role: child.role,
        process: child.index,
        code,
        signal,
        restart_ms: restartMs,
      });
    });
    return worker;
  }

  // The first process starts alone, because it creates the tables and the demo account.
  const [first, ...others] = children;
  const greeting = first && (await untilReady(start(first)));
  if (greeting === undefined) {
    if (first?.restart) clearTimeout(first.restart);
    return undefined;
  }
  await Promise.all(others.map((child) => untilReady(start(child))));
  process.stdout.write(greeting);
  log.info('processes.started', { roles: options.roles.join(' ') });

  return {
    async drain(signal) {
      isStopping = true;
      for (const { restart } of children) if (restart) clearTimeout(restart);
      const workers = children.filter(({ role }) => role === 'worker');
      const ended = endAll(workers, signal);
      if (signal !== 'SIGINT') await Promise.race([ended, sleep(workersFirstMs, undefined, { ref: false })]);
      await Promise.all([
        ended,
        endAll(
          children.filter(({ role }) => role !== 'worker'),
          signal,
        ),
      ]);
      return endedWell;
    },
  };
}

function fork({ args, roles, healthPort }: SupervisorOptions, { role, index }: Child): Worker {
  const isTerminal = process.stdout.isTTY === true;
  cluster.setupPrimary({
    exec: process.argv[1] ?? '',
    args: [...args, '--role', role, '--workers', String(roles.filter((of) => of !== 'api').length)],
    stdio: isTerminal ? ['ignore', 'inherit', 'inherit', 'ipc'] : ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const worker = cluster.fork(healthPort === null ? {} : { DARKROOM_HEALTH_PORT: `${healthPort + index}` });
  relayLines(worker.process.stdout, process.stdout);
  relayLines(worker.process.stderr, process.stderr);
  return worker;
}

function untilReady(worker: Worker): Promise<string | undefined> {
  const ready = once(worker, 'message').then(([greeting]) => String(greeting));
  return Promise.race([ready, once(worker, 'exit').then(() => undefined)]);
}

/** There is no timeout, because a process that hangs kills itself. */
async function endAll(children: readonly Child[], signal: NodeJS.Signals): Promise<void> {
  await Promise.all(
    children.map(async ({ worker }) => {
      if (!worker) return;
      const gone = once(worker, 'exit');
      worker.process.kill(signal);
      await gone;
    }),
  );
}
