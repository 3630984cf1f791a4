import assert from 'node:assert/strict';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { divideArgued } from '../../scripts/mutants/argued.ts';
import { findMutants } from '../../scripts/mutants/find-mutants.ts';
import { flows, rooms } from '../../scripts/mutants/rooms.ts';

// The short version of `npm run mutants`: checks that its files exist, so that a renaming is noticed.

test('every glob of the mutants finds files', () => {
  const globs = [...flows, ...rooms.flatMap(({ sources, tests }) => [...sources, ...tests])];
  assert.deepEqual(
    globs.filter((glob) => globSync(glob).length === 0),
    [],
  );
});

test('every argued mutant still exists', () => {
  const mutants = rooms.flatMap(({ sources }) =>
    sources.flatMap((glob) => globSync(glob)).flatMap(findMutants),
  );
  assert.deepEqual(divideArgued(mutants).unknown, []);
});

test('a mutant changes a limit, a condition, a query or an action, and nothing that only reports or is a millisecond', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mutants-'));
  const file = join(folder, 'sample.ts');
  writeFileSync(
    file,
    `const patienceMs = 5_000;
const giveUpAt = performance.now() + patienceMs;
export function take(limit: 1 | 2, rows: number[]) {
  while (performance.now() < giveUpAt) step();
  if (rows.length > limit) throw new Error('too many');
  log.info('taken');
  return query().from('rows').where('at', '<', 5).execute() ?? sql\`a and b\`;
}
`,
  );
  const changes = findMutants(file).map(({ change }) => change);
  rmSync(folder, { recursive: true });
  assert.deepEqual(changes, [
    '+ → -',
    'step(); → ;',
    'rows.length > limit → true',
    'rows.length > limit → false',
    '> → >=',
    "throw new Error('too many'); → ;",
    "query().from('rows').where('at', '<', 5).execute() ?? sql`a and b` → query().from('rows').where('at', '<', 5).execute()",
    "query().from('rows').where('at', '<', 5).execute() ?? sql`a and b` → sql`a and b`",
    ".where('at', '<', 5) → nothing",
    '5 → 6',
    'and → or',
  ]);
});
