import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sections } from '../../server/src/web/api/docs/contents.ts';
import { readDocs, shownImages } from '../../server/src/web/api/docs/read-docs.ts';
import { buildCode, notBundled } from './build-code.ts';
import { listParts } from './list-parts.ts';
import { root } from './pack-folder.ts';

/** Files that the server reads at run time. */
const files = [
  'dist/cli.tgz',
  'dist/sdk.tgz',
  'panel/dist',
  ...['icon.svg', 'images', 'style', 'scripts'].map((name) => `server/src/web/api/reference/${name}`),
  'server/src/accounts/people/common-passwords.txt.gz',
];

/** Stages the command, the server and the panel. Bundles all packages except two, in the versions that were tested. */
export async function stageServer(folder: string): Promise<void> {
  await buildCode(folder, { main: 'cli/src/main.ts' });
  for (const file of [...files, ...(await documents())])
    await cp(join(root, file), join(folder, file), { recursive: true });
  await mkdir(join(folder, 'bin'));
  await cp(join(import.meta.dirname, 'darkroom.mjs'), join(folder, 'bin/darkroom.mjs'));
  await chmod(join(folder, 'bin/darkroom.mjs'), 0o755);
  await cp(join(import.meta.dirname, 'README.md'), join(folder, 'README.md'));
  const described = await manifest();
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(described, null, 2)}\n`);
  const licenses = await readFile(join(folder, 'LICENSES.md'), 'utf8');
  const { name, version } = described;
  await writeFile(join(folder, 'sbom.json'), await listParts({ name, version }, licenses));
}

async function documents(): Promise<string[]> {
  const docs = await readDocs(sections);
  return [...docs.pages.map(({ file }) => file), ...shownImages(docs)];
}

async function manifest() {
  const [whole, server] = await Promise.all(['.', 'server'].map(readManifest));
  const { version, description, license } = whole;
  return {
    // The public registry's `darkroom` is another project. This name was free.
    name: 'darkroom-server',
    version,
    description,
    license,
    type: 'module',
    engines: { node: '>=24' },
    bin: { darkroom: 'bin/darkroom.mjs' },
    dependencies: Object.fromEntries(notBundled.map((name) => [name, server.dependencies[name]])),
  };
}

async function readManifest(folder: string) {
  return JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
}
