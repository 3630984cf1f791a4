import { npm, root } from './pack-folder.ts';

interface Part {
  'bom-ref': string;
  type: string;
  name: string;
  version: string;
  purl: string;
  licenses?: { license: { name?: string } }[];
}

const packages = ['server', 'cli', 'sketch', 'sdk', 'panel'];
const heading = /^## (\S+) - (\S+) \((.+)\)$/gm;

/**
 * Returns the bill of materials of the packed command as CycloneDX: npm's data on installed and bundled packages. Does
 * not use `--omit dev`, which would also omit packages that the clone's tools share with the command. Fails if the
 * clone differs from its lock file, or if a part has no licence.
 * @param texts the licences of all bundled packages
 */
export async function listParts(named: { name: string; version: string }, texts: string): Promise<string> {
  const workspaces = packages.flatMap((folder) => ['--workspace', folder]);
  const { stdout } = await npm(['sbom', '--sbom-format', 'cyclonedx', ...workspaces], root);
  const bill = JSON.parse(stdout) as { components: Part[]; metadata: { component: object } };
  const known = new Set(bill.components.map(({ name, version }) => `${name}@${version}`));
  for (const [, name = '', version = '', license = ''] of texts.matchAll(heading)) {
    const ref = `${name}@${version}`;
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    if (!known.has(ref))
      bill.components.push({
        ...{ 'bom-ref': ref, type: 'library', name, version, purl },
        licenses: [{ license: { name: license } }],
      });
  }
  const unlicensed = bill.components.filter(({ licenses = [] }) => licenses.length === 0);
  if (unlicensed.length > 0)
    throw new Error(`parts without a licence: ${unlicensed.map((part) => part['bom-ref']).join(', ')}`);
  // Otherwise npm would name the bill after the clone's folder.
  Object.assign(bill.metadata.component, named);
  return `${JSON.stringify(bill, null, 2)}\n`;
}
