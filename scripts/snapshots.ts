import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { configFileSchema } from '../server/src/config/config-file.ts';
import { contractOf, typesOf } from './contract/api-types.ts';
import { readServed } from './contract/served-documents.ts';
import { settingsPage } from './contract/settings-page.ts';

// Writes generated files: the API's contract, the SDK's types, the configuration's schema, the settings page, the
// database's schema. `--check` only compares.
const root = join(import.meta.dirname, '..');
const check = process.argv.includes('--check');
const stale: string[] = [];

{
  await using served = await readServed();
  for (const [prefix, document] of Object.entries(served.documents))
    await keep(`server/test/contract${prefix.replaceAll('/', '-')}.txt`, contractOf(document));
  await keep('sdk/src/wire.ts', formatted(typesOf(Object.values(served.documents), wantedTypes())));
  await keep('docs/config.schema.json', `${JSON.stringify(configFileSchema, null, 2)}\n`);
  await keep('docs/settings.md', settingsPage());
  await keep('docs/schema.sql', readSchema(join(served.dataDir, 'darkroom.db')));
}
if (stale.length > 0) {
  process.stderr.write(
    `Out of date: ${stale.join(', ')}. Run "npm run snapshots" and commit what changed.\n`,
  );
  process.exitCode = 1;
}

async function keep(file: string, content: string): Promise<void> {
  const path = join(root, file);
  if (!check) await writeFile(path, content);
  else if ((await readFile(path, 'utf8').catch(() => '')) !== content) stale.push(file);
}

function wantedTypes(): string[] {
  const taken = /^(?:import|export) type \{([^}]*)\} from '\.{1,2}\/wire\.ts'/gm;
  const lists = globSync('sdk/src/**/*.ts', { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(taken)].map(([, list = '']) => list.split(',')),
  );
  const names = lists.flat().map((name) => name.trim().replace(/ as .*/s, ''));
  return [...new Set(names.filter((name) => name !== ''))].sort();
}

function formatted(code: string): string {
  const biome = join(root, 'node_modules/.bin/biome');
  const { stdout, status } = spawnSync(biome, ['format', '--stdin-file-path=sdk/src/wire.ts'], {
    cwd: root,
    input: code,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error('the types of the SDK cannot be formatted');
  return stdout;
}

function readSchema(file: string): string {
  using database = new DatabaseSync(file, { readOnly: true });
  const rows = database
    .prepare('select sql from sqlite_schema where sql is not null order by tbl_name, type desc, name')
    .all();
  const statements = rows.map(
    ({ sql }) =>
      `${String(sql)
        .replace(/^ {6}/gm, '  ')
        .replace(/^ {4}\)/gm, ')')};\n`,
  );
  return `-- The schema on SQLite, as the migrations leave it. PostgreSQL's differs in types, and has no foreign keys\n-- from the tables that are written with every job to accounts.\n\n${statements.join('\n')}`;
}
