import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lacksHistory, openOlderFiles } from '../../test/db/support/older-program.ts';

export interface OlderProgram extends AsyncDisposable {
  commit: string;
  file: string;
}

/**
 * The oldest commit that can run beside this version, because every schema change since then only adds. From the next
 * release on, that release takes its place.
 */
const oldestBeside = '31d5de4';

export function findOlderCommit(): string | undefined {
  return lacksHistory(oldestBeside) ? undefined : oldestBeside;
}

export async function openOlderProgram(commit: string): Promise<OlderProgram> {
  const files = await openOlderFiles(commit);
  return {
    commit,
    file: process.env.TEST_PROGRAMS ? await build(files.path) : join(files.path, 'server/faults/process.ts'),
    [Symbol.asyncDispose]: () => files[Symbol.asyncDispose](),
  };
}

/** Builds the older program with its own tools. A run starts many processes, and built programs start faster. */
async function build(folder: string): Promise<string> {
  const code = `const { buildPrograms } = await import('./scripts/build-programs.ts');
    process.stdout.write(await buildPrograms('${join(folder, 'programs')}'));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], {
    cwd: folder,
  });
  return join(stdout, 'faults.js');
}
