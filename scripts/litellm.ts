import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The version that the guide recommends. */
export const litellm = 'litellm[proxy]==1.106.2';
const folder = join(import.meta.dirname, '../node_modules/.cache/darkroom-litellm');
const startMs = 180_000;

/**
 * Installs LiteLLM into a virtual environment that is kept for the next run.
 * @returns the path of the environment's Python
 */
export async function installLiteLlm(): Promise<string> {
  const bin = join(folder, 'bin');
  if (!existsSync(join(bin, 'litellm'))) {
    await mkdir(folder, { recursive: true });
    await run('python3', ['-m', 'venv', folder]);
    await run(join(bin, 'pip'), ['install', '--quiet', '--disable-pip-version-check', litellm]);
  }
  return join(bin, 'python');
}

export async function startLiteLlm(
  config: string,
  env: NodeJS.ProcessEnv = {},
): Promise<AsyncDisposable & { url: string; pid: number }> {
  await installLiteLlm();
  const directory = await mkdtemp(join(tmpdir(), 'darkroom-litellm-'));
  const file = join(directory, 'config.yaml');
  await writeFile(file, config);
  const port = await freePort();
  const child = spawn(
    join(folder, 'bin/litellm'),
    ['--config', file, '--host', '127.0.0.1', '--port', String(port)],
    {
      env: { ...process.env, LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_TELEMETRY: 'False', ...env },
      stdio: 'ignore',
    },
  );
  const url = `http://127.0.0.1:${port}`;
  await untilLive(`${url}/health/liveliness`, child);
  return {
    url,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await rm(directory, { recursive: true });
    },
  };
}

export async function untilLive(url: string, child: ChildProcess): Promise<void> {
  for (const giveUpAt = performance.now() + startMs; performance.now() < giveUpAt; await sleep(500)) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
  }
  throw new Error(`${child.spawnfile} did not start`);
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
}

async function run(command: string, args: readonly string[]): Promise<void> {
  const [code] = await once(spawn(command, args, { stdio: 'inherit' }), 'exit');
  if (code !== 0) throw new Error(`${command} ended with ${code}`);
}
