import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// npm pack: moves what stands under `publishConfig` to the top of package.json, as pnpm does, and back when the package is
// made. The clone imports the sources, the package has only what was built.
const manifest = join(import.meta.dirname, '../package.json');
const kept = join(import.meta.dirname, '../dist/package.json.kept');

if (process.argv[2] === 'restore') {
  writeFileSync(manifest, readFileSync(kept));
  rmSync(kept);
} else {
  const text = readFileSync(manifest, 'utf8');
  writeFileSync(kept, text);
  const { publishConfig, scripts: _ofTheClone, ...rest } = JSON.parse(text);
  writeFileSync(manifest, `${JSON.stringify({ ...rest, ...publishConfig }, null, 2)}\n`);
}
