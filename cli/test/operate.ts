import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launcher, type Outcome, runDarkroom } from './run-darkroom.ts';

/** Runs an operator verb, directly or through a shell, against a fake of the server's operations that records calls. */
export async function operate(
  args: string[],
  env: Record<string, string> = {},
  shell?: string[],
): Promise<Outcome & { calls: unknown[]; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-cli-'));
  try {
    const file = join(folder, 'calls');
    const nodeArgs = ['--import', new URL('fake-server.ts', import.meta.url).href];
    // The fake replaces a module of the sources.
    const options = { cwd: folder, script: launcher, env: { ...env, FAKE_CALLS: file } };
    const outcome = await runDarkroom(
      args,
      shell ? { ...options, node: 'sh', nodeArgs: [...shell, ...nodeArgs] } : { ...options, nodeArgs },
    );
    const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
    return { ...outcome, folder, calls: lines.map((line) => JSON.parse(line)) };
  } finally {
    await rm(folder, { recursive: true });
  }
}
