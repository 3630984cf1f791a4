import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { connect } from '../../src/db/connect.ts';
import { migrate } from '../../src/db/migrating/migrate.ts';
import { openPostgres } from '../../src/db/postgres.ts';
import { systemClock } from '../../src/std/clock.ts';

// npm test makes a template with the schema for each kind of database, and names it in TEST_DATABASE_TEMPLATE.

const sqliteFile = 'darkroom.db';

/** A PostgreSQL database of its own, or nothing for SQLite. It is a copy of the template, unless it is to be empty. */
export async function createDatabase({
  empty = false,
} = {}): Promise<{ url: string; drop(): Promise<void> } | undefined> {
  const { TEST_DATABASE_URL: server, TEST_DATABASE_TEMPLATE: template } = process.env;
  if (!server) return undefined;
  const name = `test_${randomBytes(6).toString('hex')}`;
  await administer(server, `create database ${name} template ${(!empty && template) || 'template1'}`);
  return {
    url: urlOf(server, name),
    drop: () => administer(server, `drop database ${name} with (force)`),
  };
}

/** Puts a copy of the template into a data folder, unless the test is on PostgreSQL or has no template. */
export async function copySchema(dataDir: string): Promise<void> {
  const { TEST_DATABASE_URL: server, TEST_DATABASE_TEMPLATE: template } = process.env;
  if (!server && template) await copyFile(template, join(dataDir, sqliteFile));
}

/** Makes a database of this server with the schema, and returns its name. */
export async function makePostgresTemplate(server: string): Promise<string> {
  const name = 'darkroom_template';
  await administer(server, `create database ${name}`);
  await using database = await openPostgres(urlOf(server, name), { connections: 4 });
  await migrate(database);
  return name;
}

/** Makes a file with the schema in this folder, and returns its path. */
export async function makeSqliteTemplate(folder: string): Promise<string> {
  {
    await using database = await connect({ url: undefined, dataDir: folder, clock: systemClock });
    await migrate(database);
  }
  const file = join(folder, sqliteFile);
  if (existsSync(`${file}-wal`)) throw new Error(`${file} is not complete without its log`);
  return file;
}

function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

/** Of the PostgreSQL at the other end: 18 is one. */
export async function majorVersion(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    "select current_setting('server_version_num')::int / 10000 as version",
  );
  return rows[0]?.version ?? 0;
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Copying files takes half as long as going through the log, and is the only way that PostgreSQL 14 has.
    const copies = statement.startsWith('create') && (await majorVersion(client)) > 14;
    await client.query(copies ? `${statement} strategy file_copy` : statement);
  } finally {
    await client.end();
  }
}
