import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { cuts, type ProgramsTable, tasks } from '../doors/support/programs-tables.ts';

const root = join(import.meta.dirname, '../../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const clients = read('scripts/clients.ts');

for (const [name, table] of Object.entries({
  'what each can do': tasks,
  'what happens when they are cut': cuts,
}))
  suite(`the table of ${name} in docs/guides/programs.md`, () => {
    test('is generated from the runs', () => {
      assert.ok(read('docs/guides/programs.md').includes(toMarkdown(table)), toMarkdown(table));
    });

    test('names runs that exist, at least one for each cell', () => {
      const runs = table.rows.flatMap(([program, ...cells]) =>
        cells.flatMap((cell, index) => {
          if (cell === null) return [];
          const [text, ...found] = cell;
          assert.ok(found.length > 0, `${program}, ${table.columns[index + 1]}: nothing runs "${text}"`);
          return found;
        }),
      );
      for (const run of new Set(runs)) {
        const [file = '', ...rest] = run.split(': ');
        const wanted = rest.join(': ');
        assert.ok(read(file).includes(wanted), `${file} has no "${wanted}"`);
        const script = /^scripts\/clients\/(.*)$/.exec(file)?.[1];
        if (script) assert.ok(clients.includes(script), `npm run clients does not run ${script}`);
      }
    });
  });

function toMarkdown({ columns, rows }: ProgramsTable): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return [
    line(columns),
    `${'|---'.repeat(columns.length)}|\n`,
    ...rows.map(([program, ...cells]) => line([program, ...cells.map((cell) => cell?.[0] ?? '–')])),
  ].join('');
}
