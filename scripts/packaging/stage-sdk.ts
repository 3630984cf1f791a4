import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root, run } from './pack-folder.ts';

export async function stageSdk(folder: string): Promise<void> {
  const sdk = join(root, 'sdk');
  await run(process.execPath, [join(sdk, 'scripts/build.ts'), join(folder, 'dist')]);
  await cp(join(sdk, 'README.md'), join(folder, 'README.md'));
  await writeFile(
    join(folder, 'package.json'),
    publishedForm(await readFile(join(sdk, 'package.json'), 'utf8')),
  );
}

/** Moves the fields of `publishConfig` to the top: they name built files, and the clone's own fields name sources. */
function publishedForm(manifest: string): string {
  const { publishConfig, scripts: _ofTheClone, ...rest } = JSON.parse(manifest);
  return `${JSON.stringify({ ...rest, ...publishConfig }, null, 2)}\n`;
}
