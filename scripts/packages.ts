import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtempDisposable, readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { build } from 'vite';
import { packageFiles, packagesDir } from '../server/src/api/reference/register-packages.ts';

// npm run packages [-- --into FOLDER]
// Makes the packages that the server gives to its clients: the SDK, and the command line without what runs a server, in one
// file that needs no other package. Part of npm ci, so that they have the version of the server that serves them.
const root = resolve(import.meta.dirname, '..');
const { values } = parseArgs({ options: { into: { type: 'string', default: packagesDir } } });
const run = promisify(execFile);

await mkdir(values.into, { recursive: true });
await pack(packageFiles.sdk, stageSdk);
await pack(packageFiles.cli, stageCli);

async function pack(name: string, stage: (folder: string) => Promise<void>): Promise<void> {
  await using place = await mkdtempDisposable(join(tmpdir(), 'darkroom-package-'));
  const staged = join(place.path, 'package');
  await mkdir(staged);
  await cp(join(root, 'LICENSE'), join(staged, 'LICENSE'));
  await stage(staged);
  const { stdout } = await npm(
    ['pack', '--json', '--ignore-scripts', '--pack-destination', place.path],
    staged,
  );
  const { filename, size } = packed(JSON.parse(stdout));
  // At once, so that a running server never reads half a file.
  const half = join(values.into, `.${name}`);
  await cp(join(place.path, filename), half);
  await rename(half, join(values.into, name));
  process.stdout.write(`${join(values.into, name)}: ${Math.ceil(size / 1024)} kB\n`);
}

async function stageSdk(folder: string): Promise<void> {
  const sdk = join(root, 'sdk');
  await run(process.execPath, [join(sdk, 'scripts/build.ts'), join(folder, 'dist')]);
  await cp(join(sdk, 'README.md'), join(folder, 'README.md'));
  await writeFile(
    join(folder, 'package.json'),
    publishedForm(await readFile(join(sdk, 'package.json'), 'utf8')),
  );
}

async function stageCli(folder: string): Promise<void> {
  const cli = join(root, 'cli');
  await build({
    root: cli,
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true },
    build: {
      ssr: 'src/client-main.ts',
      outDir: folder,
      emptyOutDir: false,
      target: 'node20',
      license: { fileName: 'LICENSES.md' },
      rolldownOptions: {
        output: { entryFileNames: 'darkroom.js', banner: '#!/usr/bin/env node' },
      },
    },
  });
  const { name, version, license, type } = JSON.parse(await readFile(join(cli, 'package.json'), 'utf8'));
  const manifest = {
    name,
    version,
    description: 'Makes images with a Darkroom server, from the command line',
    license,
    type,
    engines: { node: '>=20.15' },
    bin: { darkroom: 'darkroom.js' },
  };
  await cp(join(cli, 'README.md'), join(folder, 'README.md'));
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** What stands under `publishConfig` moves to the top: the clone imports the sources, the package has only what was built. */
function publishedForm(manifest: string): string {
  const { publishConfig, scripts: _ofTheClone, ...rest } = JSON.parse(manifest);
  return `${JSON.stringify({ ...rest, ...publishConfig }, null, 2)}\n`;
}

/** With the npm that runs this, which on Windows is no program of its own. */
function npm(args: string[], cwd: string): Promise<{ stdout: string }> {
  const { npm_execpath: script } = process.env;
  return script ? run(process.execPath, [script, ...args], { cwd }) : run('npm', args, { cwd });
}

/** npm 12 answers with an object of packages, those before it with a list. */
function packed(answer: unknown): { filename: string; size: number } {
  const [found] = Object.values(answer as Record<string, { filename: string; size: number }>);
  if (!found) throw new Error('npm pack made nothing');
  return found;
}
