import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { buildCode } from './packaging/build-code.ts';
import { codeFolder } from './packaging/own-places.ts';
import { root } from './packaging/pack-folder.ts';

/**
 * Builds the packaged server, the fault harness's server and the command, for tests that start many of them. To start,
 * a built program needs a third of the processor time that the sources need.
 * @returns the folder of the programs
 */
export async function buildPrograms(folder: string): Promise<string> {
  await mkdir(folder);
  await buildCode(folder, {
    server: 'server/src/main.ts',
    faults: 'server/faults/process.ts',
    command: 'cli/src/main.ts',
  });
  const own = new Set(await readdir(folder));
  for (const name of await readdir(root))
    if (!own.has(name)) await symlink(join(root, name), join(folder, name));
  return join(folder, codeFolder);
}
