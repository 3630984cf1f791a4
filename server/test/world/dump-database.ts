import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

/** The place of a database: PostgreSQL if there is a URL, or else the file in the folder. */
export interface DatabasePlace {
  url?: string | undefined;
  dataDir: string;
}

/** The schema and every row, one per line: two dumps are equal if nothing was written between them. Only reads. */
export async function dumpDatabase({ url, dataDir }: DatabasePlace): Promise<string[]> {
  return url ? await dumpPostgres(url) : dumpSqlite(join(dataDir, 'darkroom.db'));
}

export function assertSameDump(found: readonly string[], expected: readonly string[], message: string): void {
  const [after, before] = [new Set(found), new Set(expected)];
  const changes = [
    ...found.filter((line) => !before.has(line)).map((line) => `+ ${line}`),
    ...expected.filter((line) => !after.has(line)).map((line) => `- ${line}`),
  ];
  assert.deepEqual(changes, [], message);
  assert.equal(found.length, expected.length, message);
}

/** The names in a data folder, except SQLite's log, which comes and goes when a file is opened and closed. */
export async function listFiles(dataDir: string): Promise<string[]> {
  const names = await readdir(dataDir, { recursive: true });
  return names.filter((name) => !/^darkroom\.db-(wal|shm)$/.test(name)).sort();
}

function dumpSqlite(file: string): string[] {
  using database = new DatabaseSync(file, { readOnly: true });
  database.function('now_ms', () => 0);
  const schema = database.prepare('select type, name, sql from sqlite_schema order by 1, 2').all();
  // Internal tables of an index, which no statement names.
  const tables = schema.filter(({ type, name }) => type === 'table' && !String(name).startsWith('sqlite_'));
  return schema
    .map((row) => JSON.stringify(row))
    .concat(
      tables.flatMap(({ name }) => {
        const rows = database.prepare(`select * from "${name}"`).all();
        return rows.map((row) => `${name} ${JSON.stringify(Object.values(row).map(String))}`).sort();
      }),
    );
}

async function dumpPostgres(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: columns } = await client.query<{ table: string; text: string }>(
      `select table_name as table, table_name || '.' || column_name || ' ' || data_type as text
        from information_schema.columns where table_schema = 'public' order by 2`,
    );
    const { rows: others } = await client.query<{ text: string }>(
      `select conname || ' ' || pg_get_constraintdef(oid) as text from pg_constraint where connamespace = 'public'::regnamespace
        union all select indexdef from pg_indexes where schemaname = 'public'
        union all select proname || prosrc from pg_proc where pronamespace = 'public'::regnamespace
        union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal order by 1`,
    );
    const lines = [...columns, ...others].map(({ text }) => text);
    for (const table of new Set(columns.map((column) => column.table))) {
      const { rows } = await client.query<{ text: string }>(
        `select to_jsonb(t)::text as text from "${table}" t order by 1`,
      );
      lines.push(...rows.map(({ text }) => `${table} ${text}`));
    }
    return lines;
  } finally {
    await client.end();
  }
}
