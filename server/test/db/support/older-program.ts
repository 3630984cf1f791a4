import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Outcome, runDarkroom } from '../../../../cli/test/run-darkroom.ts';

const root = resolve(import.meta.dirname, '../../../..');

/** Why a test that needs a commit's program cannot run; false if it can. A clone has history, an archive has none. */
export function lacksHistory(commit: string): string | false {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root, stdio: 'ignore' });
    return false;
  } catch {
    return `NO HISTORY: ${commit} is not in this copy, so that its program cannot be run`;
  }
}

export interface OlderProgram extends AsyncDisposable {
  start(env: Record<string, string>): Promise<OlderServer>;
  run(args: string[], env: Record<string, string>): Promise<Outcome>;
}

export interface OlderServer extends AsyncDisposable {
  url: string;
  stop(): Promise<void>;
}

/** The program as of a commit, with this version's packages: those that the older one needs have the same versions. */
export async function openOlderProgram(commit: string): Promise<OlderProgram> {
  const folder = await openOlderFiles(commit);
  return {
    start: (env) => startOlder(folder.path, env),
    run: (args, env) =>
      runDarkroom(args, { cwd: folder.path, env, script: join(folder.path, 'cli/bin/darkroom.mjs') }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

export async function openOlderFiles(commit: string): Promise<AsyncDisposable & { path: string }> {
  const folder = await mkdtempDisposable(join(tmpdir(), 'darkroom-older-'));
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 256 * 1024 * 1024 });
  execFileSync('tar', ['x'], { cwd: folder.path, input: archive });
  linkPackages(folder.path);
  return folder;
}

function linkPackages(folder: string): void {
  const own = '@darkroom';
  for (const [from, to] of [
    [join(root, 'node_modules'), join(folder, 'node_modules')],
    [join(root, 'server/node_modules'), join(folder, 'server/node_modules')],
  ] as const) {
    mkdirSync(to);
    for (const name of readdirSync(from))
      if (name !== own && !name.startsWith('.')) symlinkSync(join(from, name), join(to, name));
  }
  mkdirSync(join(folder, 'node_modules', own));
  for (const name of readdirSync(join(root, 'node_modules', own)))
    symlinkSync(join(folder, name), join(folder, 'node_modules', own, name));
}

async function startOlder(folder: string, env: Record<string, string>): Promise<OlderServer> {
  const child = spawn(process.execPath, [join(folder, 'server/src/main.ts')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, PORT: '0', ...env },
  });
  let said = '';
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        const [, found] = /API +(\S+)\/api\/v1/.exec(said) ?? [];
        if (found !== undefined && said.includes('server.started')) resolve(found);
      });
    void ended.then(() => reject(new Error(`the older server ended: ${said}`)));
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { url, stop, [Symbol.asyncDispose]: stop };
}
