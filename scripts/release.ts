import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ownVersion } from './packaging/version-places.ts';

// npm run release -- 0.2.0 [--plan]
// Adds the date to the changelog, beside the version that `npm run raise` has set. Runs every check, installs and tries
// the packages, commits, and tags with the notes. Pushes and publishes nothing. A failure leaves changed files and no
// tag: fix the cause, `git restore .`, and run it again.
const root = resolve(import.meta.dirname, '..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { plan: { type: 'boolean', default: false } },
});
const [version = ''] = positionals;
if (version !== ownVersion())
  throw new Error(`Name the version, which is ${ownVersion()}; npm run raise makes it another.`);

const file = join(root, 'CHANGELOG.md');
const changelog = readFileSync(file, 'utf8');
const open = `## ${version} (unreleased)\n`;
const begin = changelog.indexOf(open);
if (begin < 0) throw new Error(`CHANGELOG.md has no "${open.trim()}"`);
const next = changelog.indexOf('\n## ', begin + 1);
const notes = changelog.slice(begin + open.length, next < 0 ? undefined : next).trim();
if (!notes.includes('### What operators must do'))
  throw new Error('The notes of the version do not say what operators must do.');

const tag = `v${version}`;
const steps: [what: string, work: () => void][] = [
  ['the date into CHANGELOG.md', () => writeFileSync(file, changelog.replace(open, dated()))],
  ['types, style, unused code, snapshots, OpenAPI', () => run('npm', 'run', 'check')],
  ['every test', () => run('npm', 'test')],
  ['the packages', () => run('npm', 'run', 'pack')],
  ['the packages installed and tried', () => run('npm', 'run', 'check:package')],
  ['a commit', () => run('git', 'commit', '--all', '--message', `Release ${version}`)],
  ['a tag', () => run('git', 'tag', '--annotate', tag, '--message', `Darkroom ${version}\n\n${notes}`)],
];

if (values.plan) for (const [what] of steps) say(what);
else release();

function release(): void {
  if (read('git', 'status', '--porcelain') !== '')
    throw new Error('There are changes that are not committed.');
  if (read('git', 'tag', '--list', tag) !== '') throw new Error(`${tag} is there already.`);
  for (const [what, work] of steps) {
    say(what);
    work();
  }
  say(
    `Tagged ${tag}. To publish it: git push --follow-tags, and the files of dist/. Then npm run raise -- NEXT, before any other change.`,
  );
}

function dated(): string {
  return `## ${version} (${new Date().toISOString().slice(0, 10)})\n`;
}

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { cwd: root, stdio: 'inherit' });
}

function read(program: string, ...args: string[]): string {
  return execFileSync(program, args, { cwd: root, encoding: 'utf8' }).trim();
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
