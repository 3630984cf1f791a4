import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './packaging/pack-folder.ts';
import { writeNamed } from './packaging/version-places.ts';

// npm run raise -- 0.3.0
// Writes the new version everywhere. Run it with the first change after a release, so that no two programs of the same
// version differ. Commits nothing.
const version = process.argv[2] ?? '';
if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error('Name the version: npm run raise -- 0.3.0');

run(
  'npm',
  'version',
  version,
  '--workspaces',
  '--include-workspace-root',
  '--no-git-tag-version',
  '--allow-same-version',
);
writeNamed(version);
const file = join(root, 'CHANGELOG.md');
const changelog = readFileSync(file, 'utf8');
if (!changelog.includes(`\n## ${version} (`)) {
  const section = `## ${version} (unreleased)\n\n### What operators must do\n\n- Nothing.\n\n`;
  writeFileSync(file, changelog.replace('\n## ', `\n${section}## `));
}
run('npm', 'run', 'snapshots');

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { cwd: root, stdio: 'inherit' });
}
