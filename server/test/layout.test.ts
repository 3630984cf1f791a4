import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '../src');

interface Import {
  from: string;
  to: string;
}

const files = globSync('**/*.ts', { cwd: root });
const imports: Import[] = files.flatMap((from) =>
  importsOf(from)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => ({ from, to: normalize(join(dirname(from), specifier)) })),
);

/** Layers from the bottom up: a file imports from its own folder, and from those that its layer lists. */
const allowed: Record<string, readonly string[]> = {
  std: [],
  db: ['std'],
  guard: ['std'],
  providers: ['std', 'guard'],
  images: ['std'],
  inputs: ['std', 'guard'],
  ledger: ['std', 'db'],
  catalog: ['std', 'db', 'ledger'],
  accounts: ['std', 'db', 'ledger', 'catalog'],
  webhooks: ['std', 'db', 'guard', 'ledger', 'catalog', 'accounts', 'images'],
  jobs: ['std', 'db', 'guard', 'ledger', 'catalog', 'accounts', 'providers', 'images', 'inputs', 'webhooks'],
  panel: [
    'std',
    'db',
    'guard',
    'ledger',
    'catalog',
    'accounts',
    'providers',
    'images',
    'inputs',
    'webhooks',
    'jobs',
  ],
  operator: ['std', 'db', 'guard', 'ledger', 'catalog', 'accounts', 'webhooks', 'jobs'],
  http: [
    'std',
    'db',
    'guard',
    'ledger',
    'catalog',
    'accounts',
    'images',
    'inputs',
    'webhooks',
    'jobs',
    'panel',
  ],
};
// The error model, the version and the table of what models take belong to everybody.
const shared = ['errors.ts', 'version.ts', 'catalog/models.ts'];

test('imports flow one way, from std up to http', () => {
  const wrong = imports.filter(({ from, to }) => {
    const layer = layerOf(from);
    const target = layerOf(to);
    // The contract of the panel lives beside its pages; its types are gone when the server runs.
    if (from === 'panel/contract.ts') return to.startsWith('..') && !to.endsWith('panel/src/api/contract.ts');
    if (layer === 'root' || shared.includes(to) || layer === target) return false;
    return target === 'root' || !allowed[layer]?.includes(target);
  });
  assert.deepEqual(wrong, []);
});

test('every folder has its place among the layers', () => {
  assert.deepEqual(
    [...new Set(files.map(layerOf))].filter((layer) => layer !== 'root' && !allowed[layer]),
    [],
  );
});

test('only http/ and *-routes.ts know Fastify', () => {
  const wrong = files.filter(
    (file) =>
      layerOf(file) !== 'http' && file !== 'app.ts' && importsOf(file).some((name) => /fastify/.test(name)),
  );
  assert.deepEqual(wrong, []);
});

test('only db/ and *-store.ts hold queries', () => {
  const query = /\.(selectFrom|insertInto|updateTable|deleteFrom)\(|\bsql(<[^`]*>)?`|\bsql\.raw\(/;
  assert.deepEqual(
    filesWith(query).filter((file) => !file.startsWith('db/') && !file.endsWith('-store.ts')),
    [],
  );
});

test('only main.ts and config.ts read the environment', () => {
  const readers = filesWith(/process\.env/).filter(
    (file) => !['main.ts', 'config.ts', ...besides].includes(file),
  );
  assert.deepEqual(readers, []);
});
// A child gets a cleaned copy of our environment; the reference shows the word in an example.
const besides = ['inputs/child-pool.ts', 'http/reference/examples.ts'];

test('only main.ts handles signals and the exit code', () => {
  assert.deepEqual(
    filesWith(/process\.(on|once|exit|exitCode)\b/).filter(
      (file) => !['main.ts', ...ownProcesses].includes(file),
    ),
    [],
  );
});
// Scripts that run in a process of their own.
const ownProcesses = ['inputs/decoder-child.ts'];

test('files stay small: 400 lines at most', () => {
  assert.deepEqual(
    files.filter((file) => read(file).split('\n').length > 400),
    [],
  );
});

/** `*-routes.ts` in a domain's folder is part of the edge, as are the schemas that only routes use. */
function layerOf(file: string): string {
  if (/-(routes|schemas)\.ts$/.test(file)) return 'http';
  return file.includes('/') ? (file.split('/')[0] ?? '') : 'root';
}

function importsOf(file: string): string[] {
  return [...read(file).matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name]) => name ?? '');
}

function filesWith(pattern: RegExp): string[] {
  return files.filter((file) => pattern.test(read(file)));
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}
