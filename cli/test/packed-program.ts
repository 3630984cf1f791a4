import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { mkdir, mkdtempDisposable, readFile, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

export interface PackedProgram extends AsyncDisposable {
  url: string;
  /** The server's banner, and its log up to `server.started`. */
  said: string;
  /** The package, as npm unpacks it. */
  folder: string;
  /** The file that npm links as `darkroom`. */
  script: string;
  cwd: string;
  stop(): Promise<number | null>;
}

export async function startPacked(): Promise<PackedProgram> {
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(await mkdtempDisposable(join(tmpdir(), 'darkroom-installed-')));
  const script = await install(path);
  const cwd = join(path, 'elsewhere');
  await mkdir(cwd);
  const env = { PATH: process.env.PATH, PORT: '0', DARKROOM_SHUTDOWN_DELAY_SECONDS: '0' };
  const server = spawn(process.execPath, [script, 'serve'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(server, 'exit');
  const stop = async () => {
    server.kill('SIGTERM');
    await ended;
    return server.exitCode;
  };
  stack.defer(async () => {
    await stop();
  });
  let said = '';
  for await (const text of server.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    said += text;
    if (said.includes('"server.started"')) break;
  }
  server.stdout.resume();
  const [, url] = /API +(\S+)\/api\/v1/.exec(said) ?? [];
  assert.ok(url, said);
  const running = stack.move();
  return {
    ...{ url, said, folder: join(path, 'package'), script, cwd, stop },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Installs as npm does, with the clone's `sharp`, its one dependency, so that no network is needed. */
async function install(folder: string): Promise<string> {
  execFileSync(process.execPath, [join(root, 'scripts/pack.ts'), '--into', folder]);
  const [tarball] = globSync('darkroom-[0-9]*.tgz', { cwd: folder });
  assert.ok(tarball);
  execFileSync('tar', ['-xzf', tarball], { cwd: folder });
  await mkdir(join(folder, 'node_modules'));
  await symlink(join(root, 'node_modules/sharp'), join(folder, 'node_modules/sharp'));
  const { bin } = JSON.parse(await readFile(join(folder, 'package/package.json'), 'utf8'));
  return join(folder, 'package', bin.darkroom);
}
