import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// npm run build -w sdk [-- FOLDER]: builds the published package, in `dist`. Inside this repository, everything runs
// from the sources.
const root = join(import.meta.dirname, '..');
const out = resolve(process.argv[2] ?? join(root, 'dist'));
rmSync(out, { recursive: true, force: true });
const tsc = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript/package.json')));
execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json'), '--outDir', out], {
  stdio: 'inherit',
});
// Rewrites the extensions of imports in declaration files, because the compiler rewrites them only in JavaScript.
for (const name of globSync('**/*.d.ts', { cwd: out })) {
  const file = join(out, name);
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.[^']+)\.ts'/g, "$1.js'"));
}
