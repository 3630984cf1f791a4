import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { outerEnv, programFile } from '../../world/program-file.ts';

export interface RealServer extends AsyncDisposable {
  child: ChildProcess;
  url: string;
  /** The key of the demo account, which has 100.00. */
  key: string;
  lines: Record<string, unknown>[];
  send(
    method: string,
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<{ status: number; headers: Headers; body: Record<string, unknown> }>;
}

export function temporaryFolder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'darkroom-fault-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

export async function startServer(
  dataDir: string,
  { env = {}, shell }: { env?: Record<string, string>; shell?: (command: string) => string } = {},
): Promise<RealServer> {
  const command = [process.execPath, programFile('server')];
  const [file = '', ...args] = shell ? ['/bin/sh', '-c', shell(command.join(' '))] : command;
  const child = spawn(file, args, {
    env: {
      ...outerEnv(),
      PORT: '0',
      DARKROOM_SHUTDOWN_DELAY_SECONDS: '0',
      DARKROOM_DATA_DIR: dataDir,
      DARKROOM_ALLOW_NETWORKS: '127.0.0.0/8',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: Record<string, unknown>[] = [];
  const started = Promise.withResolvers<string>();
  child.once('exit', (code, signal) => started.reject(new Error(`the server ended: ${signal ?? code}`)));
  createInterface({ input: child.stdout }).on('line', (text) => {
    if (!text.startsWith('{')) return; // the banner is for people
    const line = JSON.parse(text) as Record<string, unknown>;
    lines.push(line);
    if (line.event === 'server.started') started.resolve(String(line.url));
  });
  const url = await started.promise;
  const { key } = JSON.parse(readFileSync(join(dataDir, 'client.json'), 'utf8')) as { key: string };
  return {
    child,
    url,
    key,
    lines,
    async send(method, path, body, headers = {}) {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
    },
    [Symbol.asyncDispose]: () => endNow(child),
  };
}

export async function endNow(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

// Less than the tests' time-outs: a wait that outlived its test would keep the process running, with everything that
// it started.
const patienceMs = 100_000;

export async function until<T>(
  look: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  for (const giveUpAt = performance.now() + patienceMs; ; ) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > giveUpAt) throw new Error(`not there after ${patienceMs} ms: ${look}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
