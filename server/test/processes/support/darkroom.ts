import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { outerEnv } from '../../world/program-file.ts';

const command = resolve(import.meta.dirname, '../../../../cli/bin/darkroom.mjs');

export async function darkroom({ env }: { env: Record<string, string> }, args: readonly string[]) {
  const child = spawn(process.execPath, [command, ...args], {
    env: { ...outerEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = Promise.all(
    [child.stdout, child.stderr].map(async (stream) => (await stream.toArray()).join('')),
  );
  const [code] = await once(child, 'close');
  const [stdout = '', stderr = ''] = await texts;
  return { code, stdout, stderr };
}
