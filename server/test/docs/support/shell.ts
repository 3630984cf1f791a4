import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { outerEnv, programFile } from '../../world/program-file.ts';
import type { World } from '../../world/world.ts';

const run = promisify(execFile);

/** Runs lines in a folder with the clone's commands, up to the first that fails. Returns stdout, then stderr. */
export async function shell(code: string, folder: string, more: Record<string, string>): Promise<string> {
  const set = `set -e; darkroom() { '${process.execPath}' '${programFile('command')}' "$@"; }; npx() { "$@"; }; uuidgen() { echo ${crypto.randomUUID()}; }\n`;
  const env = { ...outerEnv(), HOME: folder, ...more };
  const { stdout, stderr } = await run('sh', ['-c', set + code], { cwd: folder, env });
  return `${stdout}\n${stderr}`;
}

export function besideEnv({ config }: Pick<World, 'config'>): Record<string, string> {
  return {
    DARKROOM_DATA_DIR: config.dataDir,
    ...(config.databaseUrl !== undefined && { DATABASE_URL: config.databaseUrl }),
  };
}

export async function shellEnv(code: string): Promise<Record<string, string>> {
  const { stdout } = await run('sh', ['-c', `set -ea\n${code}\nenv -0`], { env: { PATH: process.env.PATH } });
  const all = stdout.split('\0').filter((line) => line !== '');
  const pairs = all.map((line): [string, string] => {
    const [name = ''] = line.split('=', 1);
    return [name, line.slice(name.length + 1)];
  });
  return Object.fromEntries(
    pairs.filter(([name]) => !['PATH', 'PWD', 'SHLVL', '_', 'OLDPWD'].includes(name)),
  );
}
