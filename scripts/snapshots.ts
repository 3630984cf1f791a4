import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startApp } from '../server/src/app.ts';
import { readConfig } from '../server/src/config/config.ts';
import { configFileSchema } from '../server/src/config/config-file.ts';

// Writes what others read of us: the API, the configuration's schema, the database's. `--check` only compares.
const check = process.argv.includes('--check');
const dataDir = await mkdtemp(join(tmpdir(), 'darkroom-snapshots-'));
const stale: string[] = [];

try {
  await using app = await startApp(
    readConfig({ PORT: '0', DARKROOM_DATA_DIR: dataDir, DARKROOM_LOG_LEVEL: 'silent' }),
  );
  await keep('openapi.json', await readDocument(`${app.url}/api/v1/openapi.json`));
  await keep('openapi-admin.json', await readDocument(`${app.url}/admin/v1/openapi.json`));
  await keep('docs/config.schema.json', `${JSON.stringify(configFileSchema, null, 2)}\n`);
  await keep('docs/schema.sql', readSchema(join(dataDir, 'darkroom.db')));
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
if (stale.length > 0) {
  process.stderr.write(
    `Out of date: ${stale.join(', ')}. Run "npm run snapshots" and commit what changed.\n`,
  );
  process.exitCode = 1;
}

async function readDocument(url: string): Promise<string> {
  return `${JSON.stringify(await (await fetch(url)).json(), null, 2)}\n`;
}

async function keep(file: string, content: string): Promise<void> {
  const path = join(import.meta.dirname, '..', file);
  if (!check) await writeFile(path, content);
  else if ((await readFile(path, 'utf8').catch(() => '')) !== content) stale.push(file);
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
