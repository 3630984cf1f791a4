import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtempDisposable, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../server/test/world/free-port.ts';

// npm run check:package
// Installs the packed tarball with npm, globally and into an empty folder, makes an image, and measures start times and
// idle memory. Needs the registry or npm's cache, for `sharp`.
const run = promisify(execFile);
const root = resolve(import.meta.dirname, '..');
const restMs = 4_000;
const starts = 5;
/** The end of the banner that the server prints once it is listening. */
const ready = 'from another terminal';

const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const tarball = join(root, 'dist', `darkroom-${version}.tgz`);
await stat(tarball).catch(() => {
  throw new Error('There is no package: run npm run pack first.');
});
await using place = await mkdtempDisposable(join(tmpdir(), 'darkroom-package-'));

const prefix = join(place.path, 'global');
await npm(['install', '--global', '--prefix', prefix, tarball], place.path);
await check('installed globally', join(prefix, 'bin/darkroom'));

const folder = join(place.path, 'empty');
await mkdir(folder);
await npm(['install', tarball], folder);
await check('installed into an empty folder', join(folder, 'node_modules/.bin/darkroom'));

async function npm(args: string[], cwd: string): Promise<void> {
  const began = performance.now();
  await run('npm', [...args, '--no-audit', '--no-fund', '--prefer-offline'], { cwd });
  say(`npm ${args[0]}: ${seconds(performance.now() - began)}`);
}

async function check(how: string, command: string): Promise<void> {
  say(how);
  const cwd = join(place.path, `runs ${how}`);
  await mkdir(cwd);
  const port = await freePort();
  const env = {
    PATH: process.env.PATH,
    HOME: cwd,
    PORT: String(port),
    DARKROOM_SHUTDOWN_DELAY_SECONDS: '0',
  };
  const began = performance.now();
  let server = await start(command, cwd, env);
  await run(command, ['generate', 'a red fox in the snow', '-o', 'fox.png'], { cwd, env });
  say(`  first image ${seconds(performance.now() - began)} after the first start`);
  await run(command, ['generate', 'the fox at night', '-i', 'fox.png', '-o', 'night.png'], { cwd, env });
  await stop(server.child);
  const took: number[] = [];
  for (let index = 0; index < starts; index++) {
    server = await start(command, cwd, env);
    took.push(server.readyMs);
    if (index === starts - 1) {
      await sleep(restMs);
      say(`  ${await residentMegabytes(server.child.pid)} MB resident at rest`);
    }
    await stop(server.child);
  }
  const [quickest = 0] = took.sort((one, other) => one - other);
  const middle = took[Math.floor(starts / 2)] ?? 0;
  say(
    `  ready on an existing folder after ${seconds(middle)} (the quickest of ${starts}: ${seconds(quickest)})`,
  );
}

async function start(command: string, cwd: string, env: NodeJS.ProcessEnv) {
  const began = performance.now();
  const child = spawn(command, ['serve'], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    said += text;
    if (said.includes(ready)) break;
  }
  child.stdout.resume();
  if (!said.includes(ready)) throw new Error(`it did not start: ${said}`);
  return { child, readyMs: performance.now() - began };
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const [code] = await ended;
  if (code !== 0) throw new Error(`it ended with ${code}`);
}

async function residentMegabytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round((Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024) / 1e6);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
