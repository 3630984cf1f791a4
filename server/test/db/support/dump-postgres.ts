import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { majorVersion } from '../../world/databases.ts';

export interface Dump {
  by: string;
  restore(url: string): Promise<void>;
}

/**
 * A dump of a database in use, as the guide makes it. If the system has no `pg_dump` of the server's version, the
 * rows of one snapshot replace the dump, and `prepare` creates the tables for them.
 */
export async function dumpPostgres(
  url: string,
  file: string,
  prepare: (url: string) => Promise<void>,
): Promise<Dump> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    if (toolVersion() >= (await majorVersion(client))) {
      execFileSync('pg_dump', ['--format=custom', `--file=${file}`, url]);
      return {
        by: 'pg_dump',
        restore: async (to) => void execFileSync('pg_restore', ['--no-owner', '--dbname', to, file]),
      };
    }
    const tables = await readTables(client);
    return {
      by: 'the rows of one snapshot, since there is NO pg_dump of this version',
      async restore(to) {
        await prepare(to);
        await writeTables(to, tables);
      },
    };
  } finally {
    await client.end();
  }
}

function toolVersion(): number {
  try {
    return Number(/(\d+)/.exec(execFileSync('pg_dump', ['--version'], { encoding: 'utf8' }))?.[1]);
  } catch {
    return 0;
  }
}

type Tables = { table: string; rows: string; counters: { column: string; last: string | null }[] }[];

async function readTables(client: pg.Client): Promise<Tables> {
  await client.query('begin isolation level repeatable read read only');
  const { rows: names } = await client.query<{ table: string }>(
    "select tablename as table from pg_tables where schemaname = 'public' order by 1",
  );
  const tables: Tables = [];
  for (const { table } of names) {
    const { rows } = await client.query<{ rows: string }>(
      `select coalesce(jsonb_agg(to_jsonb(t)), '[]')::text as rows from "${table}" t`,
    );
    const { rows: columns } = await client.query<{ column: string; last: string | null }>(
      `select attname as column, pg_sequence_last_value(pg_get_serial_sequence($1, attname))::text as last
        from pg_attribute where attrelid = $1::regclass and attidentity <> ''`,
      [table],
    );
    tables.push({ table, rows: rows[0]?.rows ?? '[]', counters: columns });
  }
  await client.query('commit');
  return tables;
}

async function writeTables(url: string, tables: Tables): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('begin; set local session_replication_role = replica');
    for (const { table } of tables) await client.query(`truncate "${table}" cascade`);
    for (const { table, rows, counters } of tables) {
      await client.query(
        `insert into "${table}" overriding system value select * from jsonb_populate_recordset(null::"${table}", $1)`,
        [rows],
      );
      for (const { column, last } of counters)
        if (last !== null)
          await client.query('select setval(pg_get_serial_sequence($1, $2), $3)', [table, column, last]);
    }
    await client.query('commit');
  } finally {
    await client.end();
  }
}

export async function openEmptyBeside(url: string): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `restored_${randomBytes(6).toString('hex')}`;
  const other = new URL(url);
  other.pathname = `/${name}`;
  const ask = async (statement: string) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await ask(`create database ${name}`);
  return { url: other.href, drop: () => ask(`drop database ${name} with (force)`) };
}
