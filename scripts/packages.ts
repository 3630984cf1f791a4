import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'vite';
import { packageFiles, packagesDir } from '../server/src/web/api/reference/register-packages.ts';
import { pack, root } from './packaging/pack-folder.ts';
import { stageSdk } from './packaging/stage-sdk.ts';

// npm run packages [-- --into FOLDER]
// Makes the packages that the server offers its clients: the SDK, and the command without the server's parts, as one
// file without dependencies. This is part of npm ci, so that the packages have the server's version.
const { values } = parseArgs({ options: { into: { type: 'string', default: packagesDir } } });

await mkdir(values.into, { recursive: true });
await pack(join(values.into, packageFiles.sdk), stageSdk);
await pack(join(values.into, packageFiles.cli), stageCli);

async function stageCli(folder: string): Promise<void> {
  const cli = join(root, 'cli');
  await build({
    root: cli,
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true },
    build: {
      ssr: 'src/client-main.ts',
      outDir: folder,
      emptyOutDir: false,
      target: 'node20',
      license: { fileName: 'LICENSES.md' },
      rolldownOptions: {
        output: { entryFileNames: 'darkroom.js', banner: '#!/usr/bin/env node' },
      },
    },
  });
  const { name, version, license, type } = JSON.parse(await readFile(join(cli, 'package.json'), 'utf8'));
  const manifest = {
    name,
    version,
    description: 'Makes images with a Darkroom server, from the command line',
    license,
    type,
    engines: { node: '>=20.15' },
    bin: { darkroom: 'darkroom.js' },
  };
  await cp(join(cli, 'README.md'), join(folder, 'README.md'));
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
