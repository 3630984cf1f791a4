import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FakeApi } from '../../sdk/test/fake-api.ts';
import { programFile } from '../../server/test/world/program-file.ts';

export const launcher = fileURLToPath(new URL('../bin/darkroom.mjs', import.meta.url));

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd: string;
  env?: Record<string, string>;
  node?: string;
  nodeArgs?: string[];
  script?: string;
  input?: Uint8Array;
  whileRunning?: (kill: (signal: NodeJS.Signals) => void) => Promise<void>;
}

/**
 * Runs the real command as a child process. From this process's environment, it gets only PATH and NODE_COMPILE_CACHE.
 */
export async function runDarkroom(args: string[], options: RunOptions): Promise<Outcome> {
  const { node = process.execPath, nodeArgs = [], script = programFile('command') } = options;
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(node, [...nodeArgs, script, ...args], {
    cwd: options.cwd,
    env: { PATH, NODE_COMPILE_CACHE, DARKROOM_DATA_DIR: join(options.cwd, 'no-data'), ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // The child may end without reading its input.
  child.stdin.on('error', () => {}).end(options.input);
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [stdout, stderr] = [child.stdout, child.stderr].map(async (stream) => {
    const chunks: Buffer[] = await Array.fromAsync(stream);
    return Buffer.concat(chunks).toString();
  });
  await options.whileRunning?.((signal) => child.kill(signal));
  return { code: await ended, stdout: (await stdout) ?? '', stderr: (await stderr) ?? '' };
}

export async function startWorld(): Promise<AsyncDisposable & World> {
  const api = await FakeApi.start();
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-cli-'));
  const env = { DARKROOM_URL: api.url, DARKROOM_API_KEY: FakeApi.key };
  return {
    api,
    folder,
    run: (args, options = {}) =>
      runDarkroom(args, { cwd: folder, ...options, env: { ...env, ...options.env } }),
    [Symbol.asyncDispose]: async () => {
      await api[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

export interface World {
  api: FakeApi;
  folder: string;
  run(args: string[], options?: Partial<RunOptions>): Promise<Outcome>;
}

/** Finds a Node on the PATH that is too old for Darkroom; undefined if there is none. */
export function findOldNode(): string | undefined {
  const candidates = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  return candidates.find((path) => {
    try {
      const major = Number.parseInt(
        execFileSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' }),
        10,
      );
      return major >= 20 && major < 24;
    } catch {
      return false;
    }
  });
}
