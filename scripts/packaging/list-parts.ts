import { npm, root } from './pack-folder.ts';

/** The fields of a part that npm reports. */
interface Part {
  'bom-ref': string;
  type: string;
  name: string;
  version: string;
  purl: string;
  licenses?: { license: { name?: string } }[];
}

const packages = ['server', 'cli', 'sketch', 'sdk', 'panel'];
/** Matches headings of the bundler's file of licences. */
const heading = /^## (\S+) - (\S+) \((.+)\)$/gm;

/**
 * The bill of materials of the packed command as CycloneDX: what npm knows of the packages of the clone, as installed here, and
 * what was bundled besides. Not `--omit dev`, which also leaves out what a tool of the clone uses as well. Fails where the
 * clone is not what its lock file says, or where a part has no licence.
 *
 * @param texts the licences of all that was bundled
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
  // Else it is called as the folder of the clone.
  Object.assign(bill.metadata.component, named);
  return `${JSON.stringify(bill, null, 2)}\n`;
}
