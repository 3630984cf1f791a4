import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');

test('what the panel is built of and with is there after `npm ci --omit=dev`, which builds it', () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const files = ['vite.config.ts', ...globSync('src/**/*.{ts,tsx}', { cwd: root })];
  const imported = files.flatMap((file) =>
    [
      ...readFileSync(join(root, file), 'utf8').matchAll(
        /^(?!import type).*(?:from|import) '((?:@[^/']+\/)?[a-z][^/':]*)/gm,
      ),
    ]
      .map(([, name]) => name ?? '')
      .filter((name) => name !== 'node' && !name.startsWith('@darkroom/')),
  );
  const missing = new Set([...imported, 'vite'].filter((name) => !Object.hasOwn(dependencies, name)));
  assert.deepEqual([...missing], []);
});
