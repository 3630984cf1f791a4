import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { outerEnv, programFile } from '../../world/program-file.ts';

export async function darkroom({ env }: { env: Record<string, string> }, args: readonly string[]) {
  const child = spawn(process.execPath, [programFile('command'), ...args], {
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
