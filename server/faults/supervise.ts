import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { orAborted } from '../src/base/std/or-aborted.ts';
import type { Order, Ready } from './messages.ts';

export interface Exit {
  name: string;
  program: string;
  pid: number;
  at: number;
  /** `own`: the process was ready, and the harness did not kill it. `start`: it gave up while it started. */
  cause: 'harness' | 'own' | 'start';
  how: string;
}

export interface Supervised extends AsyncDisposable {
  readonly name: string;
  /** Resolves with the process's message that it is ready. Rejects if it never becomes ready. */
  ready(): Promise<Ready>;
  signal(signal: NodeJS.Signals): boolean;
  order(order: Order): boolean;
  pid(): number | undefined;
  isReady(): boolean;
  become(args: readonly string[]): void;
}

// A pause before each restart, as in process managers, so that a crashing process does not use up the machine.
const restartMs = 200;
// The time limit for a start, which takes a second or two, or some seconds more while a database restarts.
const readyWithinMs = 60_000;
/** A restart takes a second or two, or half a minute if ten others compete for the processors. Longer is a finding. */
export const usuallyBackWithinMs = 90_000;

export function supervise({
  name,
  args: firstArgs,
  env,
  logFile,
  onExit,
  onLate,
  backWithinMs,
  launcher = [],
}: {
  name: string;
  args: readonly string[];
  /** Called if the process is not ready `backWithinMs` after its end or first start. */
  onLate: (what: string) => void;
  backWithinMs: number;
  /** A command that starts the program, such as a tracer. */
  launcher?: readonly string[];
  env: NodeJS.ProcessEnv;
  logFile: string;
  onExit: (exit: Exit) => void;
}): Supervised {
  let child: ChildProcess | undefined;
  let ready = Promise.withResolvers<Ready>();
  let wanted = true;
  let isUp = false;
  let args = firstArgs;
  let late: NodeJS.Timeout | undefined;

  function expect(): void {
    late ??= setTimeout(
      () => onLate(`${name} was not back within ${backWithinMs} ms: ${lastLines(logFile)}`),
      backWithinMs,
    );
  }

  function start(): void {
    expect();
    const log = openSync(logFile, 'a');
    const [program = ''] = args;
    const [file = '', ...rest] = [...launcher, process.execPath, ...args];
    const started = spawn(file, rest, { env, stdio: ['ignore', log, log, 'ipc'] });
    closeSync(log);
    child = started;
    let wasReady = false;
    isUp = false;
    started.on('message', (message) => {
      wasReady = true;
      isUp = true;
      clearTimeout(late);
      late = undefined;
      ready.resolve(message as Ready); // our programs send nothing else
    });
    started.on('error', () => {}); // an order that arrives too late
    started.on('exit', (code, signal) => {
      const killed = signal === 'SIGKILL' || signal === 'SIGTERM' || !wanted;
      const cause = killed || code === 0 ? 'harness' : wasReady ? 'own' : 'start';
      onExit({
        name,
        program,
        pid: started.pid ?? 0,
        at: Date.now(),
        cause,
        how: signal ?? `exit code ${code}: ${cause === 'own' ? lastLines(logFile) : ''}`,
      });
      if (wasReady) ready = Promise.withResolvers<Ready>();
      if (wanted) expect();
      if (wanted) setTimeout(() => wanted && start(), restartMs);
    });
  }
  start();

  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    name,
    ready: () => orAborted(ready.promise, AbortSignal.timeout(readyWithinMs)),
    pid: () => (isRunning() ? child?.pid : undefined),
    isReady: () => isUp && isRunning(),
    signal(signal) {
      // The process counts as gone immediately, although it takes a moment to end. Otherwise a fault could hit it
      // again.
      if (signal === 'SIGKILL' || signal === 'SIGTERM') isUp = false;
      return isRunning() && child?.kill(signal) === true;
    },
    become(next) {
      args = next;
    },
    order: (order) => isRunning() && child?.connected === true && child.send(order, () => {}),
    async [Symbol.asyncDispose]() {
      wanted = false;
      clearTimeout(late);
      if (!child || !isRunning()) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

function lastLines(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-12).join('\n');
}
