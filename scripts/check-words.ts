import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readMarkdown } from '../server/src/web/api/docs/markdown.ts';

// npm run check:words [-- --count]
// Finds the habits that docs/voice.md lists, and counts comments that begin without a subject. With --count, prints
// their number for each folder.
const root = join(import.meta.dirname, '..');
const tutorials = ['README.md', 'docs/{start,concepts}/*.md'];
const documents = [
  ...tutorials,
  '{ARCHITECTURE,STYLE,CHANGELOG}.md',
  'docs/{reliability,security,settings}.md',
  'docs/{guides,operations,providers,decisions}/*.md',
  '{sdk,cli}/README.md',
];
const sources = [
  '{server,cli,sdk,panel,sketch}/{src,test}/**/*.{ts,tsx,js}',
  'server/{attack,faults}/**/*.ts',
  '{bench,scripts,panel/e2e}/**/*.ts',
];
const places: Record<string, string[]> = {
  tutorials,
  documents,
  everywhere: [...documents, ...sources],
};

const voice = readFileSync(join(root, 'docs/voice.md'), 'utf8');
const table = readMarkdown(voice).find((block) => block.kind === 'table');
if (table?.kind !== 'table' || table.rows.length === 0)
  throw new Error('docs/voice.md has no table of habits');

const texts = new Map<string, string>();
const filesOf = new Map(
  Object.entries(places).map(([place, globs]) => [place, globSync(globs, { cwd: root })]),
);
const found: string[] = [];
for (const [habits = '', instead = '', place = ''] of table.rows) {
  const files = filesOf.get(place);
  if (!files) throw new Error(`docs/voice.md: there is no place "${place}"`);
  for (const [, habit = ''] of habits.matchAll(/`([^`]+)`/g)) {
    // A habit may span lines, including the marks that begin comment lines.
    const pattern = new RegExp(`\\b${habit.replaceAll(' ', '(?:\\s|\\*|//)+')}\\b`, 'gi');
    for (const file of files) {
      const text = texts.get(file) ?? readText(file);
      texts.set(file, text);
      for (const { index } of text.matchAll(pattern)) {
        const line = text.slice(0, index).split('\n').length;
        found.push(`${file}:${line}: "${habit}": write ${instead}`);
      }
    }
  }
}
found.push(...openings());
if (found.length > 0) {
  process.stderr.write(`${found.join('\n')}\n\nWhat to write instead is in docs/voice.md.\n`);
  process.exitCode = 1;
}

/** Reports doc comments that begin without their subject, if there are more than docs/voice.md allows. */
function openings(): string[] {
  const [, most = '', list = ''] = voice.match(/At most \*\*([\d,]+)\*\* .*?: (.*)\.$/m) ?? [];
  const words = [...list.matchAll(/`(\w+)`/g)].map(([, word]) => word);
  if (words.length === 0) throw new Error('docs/voice.md does not say how comments may not begin');
  const opening = new RegExp(
    `/\\*\\*[\\s*]*(?:${words.join('|')}|One(?= (?:of|that|for|with|by|in|whose|who)\\b))\\b`,
    'g',
  );
  let all = 0;
  const vague = new Map<string, number>();
  for (const file of globSync(sources, { cwd: root })) {
    if (file === 'sdk/src/wire.ts') continue; // generated from the API's descriptions
    const text = readFileSync(join(root, file), 'utf8');
    all += text.split('/**').length - 1;
    const folder = file.split('/').slice(0, 4).join('/');
    vague.set(folder, (vague.get(folder) ?? 0) + [...text.matchAll(opening)].length);
  }
  const count = vague.values().reduce((sum, one) => sum + one, 0);
  if (process.argv.includes('--count')) {
    for (const [folder, number] of vague) if (number > 0) process.stdout.write(`${number}\t${folder}\n`);
    process.stdout.write(`${count} of ${all} comments begin without a subject\n`);
  }
  return count > Number(most.replace(',', ''))
    ? [
        `${count} comments begin without a subject, more than ${most}: run node scripts/check-words.ts --count`,
      ]
    : [];
}

function readText(file: string): string {
  const text = readFileSync(join(root, file), 'utf8');
  return file.endsWith('.md')
    ? text.replace(/^```[\s\S]*?^```$/gm, (code) => code.replace(/[^\n]/g, ''))
    : text;
}
