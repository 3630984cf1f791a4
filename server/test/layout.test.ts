import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize, resolve } from 'node:path';
import { test } from 'node:test';
import { providerKinds } from '../src/upstream/providers/providers.ts';
import { rooms } from './rooms.ts';

const root = resolve(import.meta.dirname, '../src');
const files = globSync('**/*.ts', { cwd: root });
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
const imports = files.flatMap((from) =>
  importsOf(from)
    .filter((specifier) => specifier.startsWith('.') && specifier.endsWith('.ts'))
    .map((specifier) => ({ from, to: normalize(join(dirname(from), specifier)) })),
);

const repository = resolve(root, '../..');
/** Hand-written files of all packages. */
const sources = globSync('{server,sketch,sdk,cli,panel}/src/**/*.{ts,tsx,js,css,svg}', { cwd: repository });

/** The error model, the version and the table of models may be imported anywhere. */
const everybodys = ['errors.ts', 'version.ts', 'upstream/catalog/models.ts'];
/** No file imports the composition root. */
const composition = ['main.ts', 'app.ts'];

test('imports flow one way, from std up to main.ts', () => {
  const wrong = imports.filter(({ from, to }) => {
    if (composition.includes(from) || everybodys.includes(to) || roomOf(from) === roomOf(to)) return false;
    return !rooms[roomOf(from)]?.includes(roomOf(to));
  });
  assert.deepEqual(wrong, []);
});

test('every room is listed above those it imports from, and every permission is used', () => {
  const names = Object.keys(rooms);
  const found = new Set(files.filter((file) => file.includes('/')).map(roomOf));
  assert.deepEqual(
    [...found].filter((room) => !names.includes(room)),
    [],
  );
  const wrong = names.flatMap((room, index) =>
    (rooms[room] ?? [])
      .filter(
        (lower) =>
          !names.slice(0, index).includes(lower) ||
          !imports.some(
            ({ from, to }) => roomOf(from) === room && roomOf(to) === lower && !everybodys.includes(to),
          ),
      )
      .map((lower) => `${room} need not or must not list ${lower}`),
  );
  assert.deepEqual(wrong, []);
});

test('no file imports itself, directly or indirectly', () => {
  const next = Map.groupBy(imports, ({ from }) => from);
  const circles: string[][] = [];
  const done = new Set<string>();
  const walk = (file: string, path: string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file]);
    if (done.has(file) || path.includes(file)) return;
    for (const { to } of next.get(file) ?? []) walk(to, [...path, file]);
    done.add(file);
  };
  for (const file of files) walk(file, []);
  assert.deepEqual(circles, []);
});

test('no two subfolders of a folder import each other', () => {
  const ofPanel = sources
    .filter((file) => /^panel\/.*\.tsx?$/.test(file))
    .flatMap((from) => specifiersIn(textOf(from)).map((name) => ({ from, to: join(dirname(from), name) })))
    .filter(({ to }) => sources.includes(to));
  assert.ok(ofPanel.length > 1_000, `the panel imports ${ofPanel.length} files of its own`);
  const pairs = new Set([...imports, ...ofPanel].flatMap(({ from, to }) => siblings(from, to) ?? []));
  const mutual = [...pairs].filter((pair) => pairs.has(pair.split(' → ').reverse().join(' → ')));
  assert.deepEqual(mutual, []);
});

/** The files' two folders below their common one; undefined if a file is in the common folder itself. */
function siblings(from: string, to: string): string | undefined {
  const [ours, theirs] = [from.split('/'), to.split('/')];
  const depth = ours.findIndex((part, index) => part !== theirs[index]);
  if (depth === -1 || depth >= ours.length - 1 || depth >= theirs.length - 1) return undefined;
  return `${ours.slice(0, depth + 1).join('/')} → ${theirs.slice(0, depth + 1).join('/')}`;
}

test('only http/, api/, admin/, doors/ and panel/ know Fastify', () => {
  const knows = files.filter((file) => importsOf(file).some((name) => /fastify/.test(name)));
  assert.deepEqual(
    knows.filter(
      (file) => !['base/http', 'web/api', 'web/admin', 'web/doors', 'web/panel'].includes(roomOf(file)),
    ),
    [],
  );
});

test('only db/ and *-store.ts have queries', () => {
  const query = /\.(selectFrom|insertInto|updateTable|deleteFrom)\(|\bsql(<[^`]*>)?`|\bsql\.raw\(/;
  assert.deepEqual(
    filesWith(query).filter((file) => roomOf(file) !== 'base/db' && !file.endsWith('-store.ts')),
    [],
  );
});

test('only main.ts and config/ read the environment', () => {
  assert.deepEqual(
    filesWith(/process\.env/).filter(
      (file) => file !== 'main.ts' && roomOf(file) !== 'config' && !besides.includes(file),
    ),
    [],
  );
});
// Exceptions: a child gets a cleaned copy of our environment, and the reference has the word in examples.
const besides = [
  'images/inputs/child-pool.ts',
  'web/api/reference/examples.ts',
  'web/api/reference/plain-examples.ts',
];

test('nothing imports values from node:http, which would load unused code at every start', () => {
  assert.deepEqual(filesWith(/^import (?!type ).*'node:http'/m), []);
});

test('only main.ts handles signals and the exit code', () => {
  const handlers = filesWith(/process\.(on|once|exit|exitCode)\b/);
  assert.deepEqual(
    handlers.filter((file) => !['main.ts', ...ownProcesses].includes(file)),
    [],
  );
});
// Scripts that run as separate processes.
const ownProcesses = [
  'images/inputs/decoder-child.ts',
  'images/logos/logo-child.ts',
  'images/renditions/rendition-child.ts',
];

test('a file named after an action exports it: verb-noun.ts has a verbNoun, or a function that creates one', () => {
  const named = sources.filter(
    (file) => /\.tsx?$/.test(file) && verbs.test(basename(file)) && !nouns.test(file),
  );
  assert.ok(named.length > 300, `only ${named.length} files are called so`);
  const wrong = named.filter((file) => {
    const name = basename(file)
      .replace(/\.tsx?$/, '')
      .replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    return !new RegExp(`^export [\\w* ]+ (create|use)?${name}`, 'im').test(textOf(file));
  });
  assert.deepEqual(wrong, []);
});
/** Verbs that are not also nouns, as `attempt`, `claim` and `sign` are. */
const verbs =
  /^(accept|add|admit|apply|ask|assert|authenticate|begin|build|cancel|catch|change|check|choose|clean|collect|compile|contain|convert|copy|count|create|decide|decode|delete|describe|disable|draw|drop|end|erase|examine|expect|expire|find|fit|follow|get|give|guess|hide|ingest|join|judge|keep|list|make|measure|migrate|normalise|note|open|overwrite|parse|pause|pick|plan|prepare|present|probe|purge|read|receive|record|refuse|remove|replay|report|reset|resolve|reveal|roll|rotate|run|save|scan|send|serve|set|settle|show|sniff|start|sweep|take|tell|try|verify|wait|watch|write|zip)-/;
const nouns = /-(store|thread|child|calls|json|pages)\.ts$/;

test('ARCHITECTURE.md says in a few lines where everything is, and every file that it names exists', () => {
  const text = textOf('ARCHITECTURE.md');
  const [, table = ''] = /^Where to look:\n\n([\s\S]*?)\n\n/m.exec(text) ?? [];
  const rows = table.split('\n').slice(2);
  assert.ok(rows.length > 9 && rows.length < 16, `${rows.length} rows`);
  const named = rows.flatMap((row) => [...row.matchAll(/`([\w/-]+\.ts)`/g)].map(([, file = '']) => file));
  assert.deepEqual(
    named.filter((file) => !files.some((one) => one === file || one.endsWith(`/${file}`))),
    [],
  );
  assert.ok(rows.every((row) => row.includes('.ts`')));
});

test('providers are listed in one place, and a new one needs no other change', () => {
  const kinds = providerKinds.join('|');
  // Provider kinds as text or as field names; two of them are also names of APIs that we speak.
  const named = new RegExp(`(['"])(${kinds})\\1|\\b(${kinds})\\??:`, 'g');
  const listing = sources.filter((file) => {
    const found = [...textOf(file).matchAll(named)].map(([, , text, field]) => text ?? field);
    return new Set(found).size > 2;
  });
  assert.deepEqual(listing, ['server/src/upstream/providers/providers.ts']);
  const folders = sources.flatMap(
    (file) => /^server\/src\/upstream\/providers\/([^/]+)\//.exec(file)?.[1] ?? [],
  );
  assert.deepEqual([...new Set(folders)].sort(), [...providerKinds].sort());
  for (const kind of providerKinds)
    assert.ok(files.includes(`upstream/providers/${kind}/descriptor.ts`), kind);
});

test('files and folders stay small in every package: more than 350 lines or 25 files have a reason', () => {
  const long = sources.filter((file) => textOf(file).split('\n').length > 350);
  const folders = Map.groupBy(sources, (file) => dirname(file));
  const wide = [...folders].filter(([, own]) => own.length > 25).map(([folder]) => folder);
  assert.deepEqual([...long, ...wide].sort(), Object.keys(large).sort());
});
/** Large files that belong together; remove a file that has become smaller. */
const large: Record<string, string> = {
  'server/src/base/db/migrations': 'a released migration is never edited; they are read from their end',
  'server/src/base/db/schema.ts': 'an entry for each table; split, they could not be seen at once',
  'server/src/base/http/problems.ts': 'an entry for each error code; split, they could not be seen at once',
  'sdk/src/wire.ts': 'generated: the types of all that the API answers',
};

test('packages import one another by name; the panel imports only the types of its contract from the server', () => {
  const away = sources.filter((file) =>
    specifiersIn(textOf(file)).some(
      (name) => name.startsWith('.') && !inSamePackage(file, join(dirname(file), name)),
    ),
  );
  assert.deepEqual(away, []);
  const ofServer = /import (type )?[^;]*? from '(@darkroom\/server[^']*)'/g;
  const taken = sources
    .filter((file) => file.startsWith('panel/'))
    .flatMap((file) => [...textOf(file).matchAll(ofServer)].map(([, type, name]) => `${type}${name}`));
  assert.deepEqual([...new Set(taken)], ['type @darkroom/server/panel-contract']);
});

function inSamePackage(file: string, target: string): boolean {
  return normalize(target).split('/')[0] === file.split('/')[0];
}

/** The file's innermost room; a wing such as `jobs` is a room with its own files. */
function roomOf(file: string): string {
  if (!file.includes('/')) return file;
  const [wing = '', inner] = file.split('/');
  return `${wing}/${inner}` in rooms ? `${wing}/${inner}` : wing;
}

function importsOf(file: string): string[] {
  return specifiersIn(texts.get(file) ?? '');
}

function specifiersIn(text: string): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name]) => name ?? '');
}

function textOf(source: string): string {
  return readFileSync(join(repository, source), 'utf8');
}

function filesWith(pattern: RegExp): string[] {
  return files.filter((file) => pattern.test(texts.get(file) ?? ''));
}
