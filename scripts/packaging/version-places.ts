import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './pack-folder.ts';

// The places that repeat package.json's version: `npm run raise` writes them, and a test reads them.

/** The packages whose version `npm version` raises, here and in the lock file. */
export const manifests = [
  'package.json',
  ...globSync('{server,sketch,sdk,cli,panel}/package.json', { cwd: root }),
];

const named: [file: string, pattern: RegExp][] = [
  ['scripts/packaging/README.md', /(darkroom-)\d+\.\d+\.\d+(?=\.tgz)/g],
  ['docs/guides/operating.md', /(darkroom-)\d+\.\d+\.\d+(?=\.tgz)/g],
  ['deploy/compose.yaml', /(image: darkroom:)\d+\.\d+\.\d+/g],
  ['deploy/helm/Chart.yaml', /((?:^v|appV)ersion: )\d+\.\d+\.\d+/gm],
  ['server/test/deploy/chart.yaml', /(image: darkroom:|app\.kubernetes\.io\/version: ")\d+\.\d+\.\d+/g],
  // The SDK has its version as a constant, because it also runs in environments that cannot read package.json.
  ['sdk/src/version.ts', /(version = ')\d+\.\d+\.\d+/g],
];

export function ownVersion(): string {
  return (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version; // npm writes it
}

export function listNamed(): { file: string; versions: string[] }[] {
  return named.map(([file, pattern]) => ({
    file,
    versions: [...readFileSync(join(root, file), 'utf8').matchAll(pattern)].map(([all, before = '']) =>
      all.slice(before.length),
    ),
  }));
}

export function writeNamed(version: string): void {
  for (const [file, pattern] of named) {
    const path = join(root, file);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(pattern, `$1${version}`));
  }
}
