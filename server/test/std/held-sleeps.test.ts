import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '../../..');
const code = globSync('{server,sketch,sdk,cli}/src/**/*.ts', { cwd: root }).map(
  (file) => [file, readFileSync(join(root, file), 'utf8')] as const,
);

test('a timer that code waits for keeps the process running, because a command would otherwise end half-way', () => {
  const sleeps = code.flatMap(([, text]) => text.match(/\bsleep\([^;]*?\)/g) ?? []);
  assert.ok(sleeps.length > 10, `only ${sleeps.length} sleeps were found`);
  const letGo = code.flatMap(([file, text]) =>
    (text.match(/await [^;]*?\bref: false\b/g) ?? []).flatMap((statement) =>
      // A timer that races with an event is only a limit.
      statement.startsWith('await Promise.race(') ? [] : [`${file}: ${statement}`],
    ),
  );
  assert.deepEqual(letGo, []);
});
