import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Outcome, runDarkroom } from './run-darkroom.ts';

/** Runs an operator verb against recorded operations of the server. */
export async function operate(
  args: string[],
  env: Record<string, string> = {},
): Promise<Outcome & { calls: unknown[]; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-cli-'));
  try {
    const file = join(folder, 'calls');
    const nodeArgs = ['--import', new URL('fake-server.ts', import.meta.url).href];
    const outcome = await runDarkroom(args, { cwd: folder, nodeArgs, env: { ...env, FAKE_CALLS: file } });
    const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
    return { ...outcome, folder, calls: lines.map((line) => JSON.parse(line)) };
  } finally {
    await rm(folder, { recursive: true });
  }
}
