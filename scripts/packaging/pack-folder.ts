import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtempDisposable, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

export const root = resolve(import.meta.dirname, '../..');
export const run = promisify(execFile);

/** The limit is high, because npm prints a bill of materials with a line for each hash. */
const maxBuffer = 16 * 1024 * 1024;

export async function pack(file: string, stage: (folder: string) => Promise<void>): Promise<void> {
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
  // The file gets its name at the end, so that a running server never reads half a file.
  const half = `${file}.part`;
  await cp(join(place.path, filename), half);
  await rename(half, file);
  process.stdout.write(`${file}: ${Math.ceil(size / 1024)} kB\n`);
}

/** Runs the npm that started this script; on Windows, npm is not an executable. */
export function npm(args: string[], cwd: string): Promise<{ stdout: string }> {
  const { npm_execpath: script } = process.env;
  return script
    ? run(process.execPath, [script, ...args], { cwd, maxBuffer })
    : run('npm', args, { cwd, maxBuffer });
}

/** Reads npm's output: npm 12 prints an object of packages, earlier versions a list. */
function packed(answer: unknown): { filename: string; size: number } {
  const [found] = Object.values(answer as Record<string, { filename: string; size: number }>);
  if (!found) throw new Error('npm pack made nothing');
  return found;
}
