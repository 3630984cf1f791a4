import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { connect } from '../../src/base/db/connect.ts';
import type { Database } from '../../src/base/db/database.ts';
import { migrate } from '../../src/base/db/migrating/migrate.ts';
import { openPostgres } from '../../src/base/db/postgres.ts';
import { systemClock } from '../../src/base/std/clock.ts';
import { openSecrets } from '../../src/start/judge-secret.ts';

// npm test makes a template with the schema for each kind of database, and names it in TEST_DATABASE_TEMPLATE. Another
// template also has the secret of a first start: making a secret's fingerprint takes a third of a start's processor
// time.

const sqliteFile = 'darkroom.db';
const sealed = 'sealed';

interface CopyOptions {
  /** Starts with the secret that a first start creates. */
  withSecret?: boolean;
}

/** Makes a separate PostgreSQL database, or nothing for SQLite: a copy of the template, unless `empty`. */
export async function createDatabase({
  empty = false,
  withSecret = false,
}: CopyOptions & { empty?: boolean } = {}): Promise<{ url: string; drop(): Promise<void> } | undefined> {
  const { TEST_DATABASE_URL: server, TEST_DATABASE_TEMPLATE: template } = process.env;
  if (!server) return undefined;
  const name = `test_${randomBytes(6).toString('hex')}`;
  const source = empty || !template ? 'template1' : withSecret ? `${template}_${sealed}` : template;
  await administer(server, `create database ${name} template ${source}`);
  return {
    url: urlOf(server, name),
    drop: () => administer(server, `drop database ${name} with (force)`),
  };
}

/** Puts a copy of the template into a data folder, unless the test is on PostgreSQL or has no template. */
export async function copySchema(dataDir: string, { withSecret = false }: CopyOptions = {}): Promise<void> {
  const { TEST_DATABASE_URL: server, TEST_DATABASE_TEMPLATE: template } = process.env;
  if (server || !template) return;
  if (withSecret) await cp(join(dirname(template), sealed), dataDir, { recursive: true });
  else await copyFile(template, join(dataDir, sqliteFile));
}

export async function makePostgresTemplate(server: string): Promise<string> {
  const name = 'darkroom_template';
  await administer(server, `create database ${name}`);
  {
    await using database = await openPostgres(urlOf(server, name), { connections: 4 });
    await migrate(database);
  }
  const other = `${name}_${sealed}`;
  await administer(server, `create database ${other} template ${name}`);
  await using database = await openPostgres(urlOf(server, other), { connections: 4 });
  await openSecrets({ secrets: [], dataDir: '' }, database);
  return name;
}

export async function makeSqliteTemplate(folder: string): Promise<string> {
  const file = await changeSqlite(folder, migrate);
  const other = join(folder, sealed);
  await mkdir(other);
  await copyFile(file, join(other, sqliteFile));
  await changeSqlite(other, (database) => openSecrets({ secrets: [], dataDir: other }, database));
  return file;
}

async function changeSqlite(dataDir: string, change: (database: Database) => Promise<unknown>) {
  {
    await using database = await connect({ url: undefined, dataDir, clock: systemClock });
    await change(database);
  }
  const file = join(dataDir, sqliteFile);
  if (existsSync(`${file}-wal`)) throw new Error(`${file} is not complete without its log`);
  return file;
}

function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

/** The version number of the PostgreSQL server, such as 18. */
export async function majorVersion(client: Pick<pg.Pool, 'query'>): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    "select current_setting('server_version_num')::int / 10000 as version",
  );
  return rows[0]?.version ?? 0;
}

/** One connection per server: opening one per statement took half as long as copying a database. */
const administrators = new Map<string, pg.Pool>();

async function administer(url: string, statement: string): Promise<void> {
  const administrator = administrators.get(url) ?? openAdministrator(url);
  administrators.set(url, administrator);
  // Copying files takes half as long as copying through the log, and is the only way in PostgreSQL 14.
  const copies = statement.startsWith('create') && (await majorVersion(administrator)) > 14;
  await administrator.query(copies ? `${statement} strategy file_copy` : statement);
}

function openAdministrator(connectionString: string): pg.Pool {
  // An idle connection does not keep the process running.
  const pool = new pg.Pool({ connectionString, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
  pool.on('error', () => {}); // the server has stopped; the next statement connects again
  return pool;
}
