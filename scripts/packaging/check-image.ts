import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../server/test/world/free-port.ts';

// npm run check:image
// Follows deploy/Dockerfile without a container engine: builds a clone of the current commit, makes a Debian root with
// debootstrap, runs the Dockerfile's steps in it, and starts it with a read-only root. Checks its health, has it draw
// two images, and stops it. Needs root, debootstrap, and the registries of npm and Debian. Does not cover the base
// image, arm64 or layers.
const root = resolve(import.meta.dirname, '../..');
// The size of debian:bookworm-slim, which lacks the manuals and package lists of debootstrap's root.
const baseMegabytes = 75;
const mostMegabytes = 250;
const patienceMs = 20_000;
await using place = await mkdtempDisposable(join(tmpdir(), 'darkroom-image-'));
const image = join(place.path, 'image');
const data = join(place.path, 'data');

interface Image {
  env: Record<string, string>;
  user: string;
  command: string[];
  health: string[];
}

say('building the package');
const built = await build();
say('making a Debian');
run('debootstrap', ['--variant=minbase', 'bookworm', image]);
const before = megabytesOf(image);
const made = await takeSteps();
const size = baseMegabytes + megabytesOf(image) - before;
say(`about ${size} MB with the base`);
if (size > mostMegabytes) throw new Error(`more than ${mostMegabytes} MB`);
await runImage();

/** Builds and packs the program with this process's Node instead of the base image's. */
async function build(): Promise<string> {
  const clone = join(place.path, 'src');
  const prefix = join(place.path, 'darkroom');
  run('git', ['clone', '--quiet', root, clone]);
  for (const args of [['ci'], ['run', 'pack']]) run('npm', args, clone);
  const { version } = JSON.parse(await readFile(join(clone, 'package.json'), 'utf8'));
  run('npm', ['install', '--global', '--prefix', prefix, join(clone, `dist/darkroom-${version}.tgz`)], clone);
  for (const file of ['sbom.json', 'LICENSES.md'])
    await cp(join(prefix, 'lib/node_modules/darkroom-server', file), join(prefix, file));
  return prefix;
}

async function takeSteps(): Promise<Image> {
  const made: Image = {
    env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' },
    user: '0',
    command: [],
    health: [],
  };
  const text = await readFile(join(root, 'deploy/Dockerfile'), 'utf8');
  const steps = text.slice(text.lastIndexOf('\nFROM ')).replaceAll('\\\n', ' ');
  const sources: Record<string, string> = { '/usr/local/bin/node': process.execPath, '/opt/darkroom': built };
  for (const [, name, rest = ''] of steps.matchAll(/^([A-Z]+)\s+(.*)$/gm)) {
    if (name === 'COPY') {
      const [from = '', to = ''] = rest.split(' ').slice(1);
      await cp(sources[from] ?? '', join(image, to), { recursive: true, verbatimSymlinks: true });
    }
    if (name === 'ENV')
      for (const [, key = '', value = ''] of rest.matchAll(/(\w+)=(\S+)/g)) made.env[key] = value;
    if (name === 'USER') made.user = rest;
    if (name === 'RUN')
      run('chroot', [`--userspec=${made.user}:${made.user}`, image, 'sh', '-c', rest], '/', made.env);
    if (name === 'HEALTHCHECK') made.health = JSON.parse(rest.slice(rest.indexOf('[')));
    if (name === 'ENTRYPOINT' || name === 'CMD') made.command.push(...JSON.parse(rest));
  }
  return made;
}

/** Runs the image. Only the places to which a container may write are writable. */
async function runImage(): Promise<void> {
  await mkdir(data);
  // A container engine would write this file.
  await writeFile(join(image, 'etc/hosts'), '127.0.0.1 localhost\n');
  run('chown', [`${made.user}:${made.user}`, data]);
  const mounts = [
    `mount --bind ${image} ${image} && mount -o remount,bind,ro ${image}`,
    `mount -t proc proc ${image}/proc && mount --bind /dev ${image}/dev && mount -t tmpfs tmpfs ${image}/tmp`,
    `mount --bind ${data} ${image}/data`,
  ].join(' && ');
  const [port, healthPort] = [await freePort(), await freePort()];
  const env = { ...made.env, PORT: `${port}`, DARKROOM_HEALTH_PORT: `${healthPort}`, HOME: '/data' };
  const inside = (command: readonly string[]) => [
    '--mount',
    'sh',
    '-c',
    `${mounts} && cd ${image}/data && exec chroot --userspec=${made.user}:${made.user} ${image} sh -c 'cd /data && exec "$@"' sh "$@"`,
    'sh',
    ...command,
  ];
  const began = performance.now();
  const server = spawn('unshare', inside(made.command), { env, stdio: ['ignore', 'inherit', 'inherit'] });
  const ask = (command: readonly string[]) =>
    spawnSync('unshare', inside(command), { env, encoding: 'utf8' });
  const ended = once(server, 'exit');
  try {
    await until(server, () => ask(made.health).status === 0);
    say(`healthy after ${Math.round(performance.now() - began)} ms`);
    useImage(server, ask);
  } finally {
    server.kill('SIGTERM');
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`it ended with ${code}`);
  say('stopped by SIGTERM');
}

function useImage(
  { pid }: ChildProcess,
  ask: (command: readonly string[]) => { status: number | null; stderr: string },
): void {
  const id = readId(pid);
  if (id !== made.user) throw new Error(`it runs as ${id}`);
  for (const file of ['/probe', '/opt/darkroom/probe', '/var/cache/darkroom/probe'])
    if (ask(['touch', file]).status === 0) throw new Error(`${file} can be written`);
  for (const args of [
    ['a red fox in the snow', '-o', 'fox.png'],
    ['the fox at night', '-i', 'fox.png', '-o', 'night.png'],
  ]) {
    const { status, stderr } = ask(['darkroom', 'generate', ...args]);
    if (status !== 0) throw new Error(stderr);
  }
  say('two images made, one from the other');
}

async function until(server: ChildProcess, isMet: () => boolean): Promise<void> {
  for (const giveUpAt = performance.now() + patienceMs; performance.now() < giveUpAt; await sleep(200)) {
    if (server.exitCode !== null) throw new Error(`it ended with ${server.exitCode}`);
    if (isMet()) return;
  }
  throw new Error('it is not healthy');
}

function readId(pid: number | undefined): string {
  return execFileSync('ps', ['-o', 'uid=', '-p', `${pid}`], { encoding: 'utf8' }).trim();
}

function megabytesOf(folder: string): number {
  return Number(execFileSync('du', ['-sm', folder], { encoding: 'utf8' }).split('\t')[0]);
}

function run(program: string, args: string[], cwd = place.path, env: NodeJS.ProcessEnv = process.env): void {
  const { status, error, stdout, stderr } = spawnSync(program, args, {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
