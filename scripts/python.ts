import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Returns the `bin` of a Python environment with this package, which is made on first use and kept between runs. */
export async function preparePython(requirement: string): Promise<string> {
  const place = join(tmpdir(), `darkroom-${requirement.replace('==', '-')}`);
  const bin = join(place, 'bin');
  const installed = join(place, 'installed');
  if (existsSync(installed)) return bin;
  try {
    if (!existsSync(join(bin, 'python'))) run('python3', '-m', 'venv', place);
    run(join(bin, 'python'), '-m', 'pip', 'install', '--quiet', requirement);
    await writeFile(installed, requirement);
    return bin;
  } catch (error) {
    await rm(place, { recursive: true, force: true });
    throw error;
  }
}

function run(command: string, ...args: string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0)
    throw new Error(
      `${command} ${args.join(' ')} failed. Python 3 with venv is needed (Debian: apt install python3-venv), and its package index.`,
      { cause: error },
    );
}
