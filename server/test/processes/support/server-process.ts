import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Role } from '../../../src/config/config.ts';
import { outerEnv, programFile } from '../../world/program-file.ts';
import type { MemoryGroup } from './memory-group.ts';

export interface End {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface ServerProcess extends AsyncDisposable {
  pid: number;
  /** The address on which it listens; empty for a worker. */
  url: string;
  /** From the spawn to the banner, printed when it listens, without the time for which it had no processor. */
  readyMs: number;
  signal(name: NodeJS.Signals): void;
  ended: Promise<End>;
  residentBytes(): Promise<number>;
}

/**
 * Starts the program as a person would.
 * @throws Error with its output, when it ends instead
 */
export async function startServerProcess(
  env: Record<string, string>,
  role: Role = 'all',
  args: readonly string[] = [],
  group?: Pick<MemoryGroup, 'procs'>,
): Promise<ServerProcess> {
  const began = performance.now();
  const { child, ended, output } = spawnServer(env, role, args, group);
  const ready = Promise.withResolvers<string>();
  child.stdout?.on('data', () => {
    // The banner is written in one piece, and the address comes before its last line.
    if (/is running\.|from another terminal/.test(output.stdout))
      ready.resolve(/API +(\S+)\/api\/v1/.exec(output.stdout)?.[1] ?? '');
  });
  void ended.then(({ stderr }) => ready.reject(new Error(`the ${role} process ended: ${stderr}`)));
  const url = await ready.promise;
  const readyMs = performance.now() - began - (await outrunMs(child.pid));
  return {
    pid: child.pid ?? 0,
    url,
    readyMs,
    signal: (name) => child.kill(name),
    ended,
    async residentBytes() {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    },
  };
}

async function outrunMs(pid: number | undefined): Promise<number> {
  const [, nanoseconds = 0] = (await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => '')).split(' ');
  return Number(nanoseconds) / 1e6;
}

export async function runServerProcess(
  env: Record<string, string>,
  args: readonly string[] = [],
): Promise<End> {
  const { child, ended } = spawnServer(env, 'all', args);
  const timeout = setTimeout(() => child.kill('SIGKILL'), refusalTimeoutMs);
  return ended.finally(() => clearTimeout(timeout));
}

// A slow machine takes seconds to load the program.
const refusalTimeoutMs = 30_000;

function spawnServer(
  env: Record<string, string>,
  role: Role,
  args: readonly string[] = [],
  group?: Pick<MemoryGroup, 'procs'>,
) {
  // In the group from the first moment on, because the program checks at its start how much memory there is.
  const enter = group ? ['sh', '-c', 'echo 0 > "$0"; exec "$@"', group.procs] : [];
  const [file = '', ...words] = [...enter, process.execPath, programFile('server'), '--role', role, ...args];
  const child: ChildProcess = spawn(file, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Without load balancers there is nothing to wait for.
    env: { ...outerEnv(), PORT: '0', DARKROOM_SHUTDOWN_DELAY_SECONDS: '0', ...env },
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  // `close` and not `exit`, after which the last output may come.
  const ended = once(child, 'close').then(
    ([code, signal]: (End['code'] | End['signal'])[]): End => ({
      code: typeof code === 'number' ? code : null,
      signal: typeof signal === 'string' ? signal : null,
      ...output,
    }),
  );
  return { child, ended, output };
}
