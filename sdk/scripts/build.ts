import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// npm run build -w sdk: the package as it is published, in `dist`. In the clone everything runs from the sources.
const root = join(import.meta.dirname, '..');
rmSync(join(root, 'dist'), { recursive: true, force: true });
const tsc = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript/package.json')));
execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' });
// The compiler rewrites the endings of imports in JavaScript alone.
for (const name of globSync('dist/**/*.d.ts', { cwd: root })) {
  const file = join(root, name);
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.[^']+)\.ts'/g, "$1.js'"));
}
