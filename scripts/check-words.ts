import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readMarkdown } from '../server/src/web/api/docs/markdown.ts';

// npm run check:words
// Finds the habits that docs/voice.md lists. The table there is the list; nothing is listed twice.
const root = join(import.meta.dirname, '..');
const tutorials = ['README.md', 'docs/{start,concepts}/*.md'];
const documents = [...tutorials, 'docs/{guides,operations,providers}/*.md', '{sdk,cli}/README.md'];
const places: Record<string, string[]> = {
  tutorials,
  documents,
  everywhere: [...documents, '{server,cli,sdk,panel,sketch}/src/**/*.{ts,tsx,js}', 'scripts/**/*.ts'],
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
    // Lines break anywhere, in comments with what begins the next.
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
if (found.length > 0) {
  process.stderr.write(`${found.join('\n')}\n\nWhat to write instead is in docs/voice.md.\n`);
  process.exitCode = 1;
}

/** Samples in documents show what programs say. */
function readText(file: string): string {
  const text = readFileSync(join(root, file), 'utf8');
  return file.endsWith('.md')
    ? text.replace(/^```[\s\S]*?^```$/gm, (code) => code.replace(/[^\n]/g, ''))
    : text;
}
