import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { isReadable, readColumns } from '../db/migrating/check-migrated.ts';
import { migrations, schemaVersion } from '../db/migrating/migrate.ts';
import { postgresDialect, sqliteDialect } from '../db/migrations/dialect.ts';
import type { Queries } from '../db/schema.ts';

/** Of an empty database, 0. `isReadable`: no newer program changed what this one reads. Takes a transaction, so the database takes writes. */
export function readSchema(database: Database): Promise<{ version: number; isReadable: boolean }> {
  const dialect = database.kind === 'sqlite' ? sqliteDialect : postgresDialect;
  return database.transaction(async (tx) => {
    const columns = await readColumns(tx, dialect);
    const version = columns.has('migrations.version') ? await schemaVersion(tx) : 0;
    const isNewer = version > migrations.length;
    return { version, isReadable: !isNewer || (await isReadable(tx, migrations.length)) };
  });
}

export async function readSqliteVersion(queries: Queries): Promise<string> {
  const { rows } = await sql<{ version: string }>`select sqlite_version() as version`.execute(queries);
  return rows[0]?.version ?? '';
}

export interface PostgresServer {
  /** Such as 160004. */
  version: number;
  name: string;
  /** Whether what was committed survives a loss of power. */
  keeps: boolean;
  standby: boolean;
  connections: number;
  mostConnections: number;
}

export async function readPostgresServer(queries: Queries): Promise<PostgresServer> {
  const { rows } = await sql<PostgresServer>`select
      current_setting('server_version_num')::int as version,
      current_setting('server_version') as name,
      current_setting('fsync') = 'on' and current_setting('synchronous_commit') <> 'off' as keeps,
      pg_is_in_recovery() as standby,
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
      current_setting('max_connections')::int as "mostConnections"`.execute(queries);
  const [row] = rows;
  if (!row) throw new Error('the server says nothing of itself');
  return row;
}

export async function askOnce(queries: Queries): Promise<void> {
  await sql`select 1`.execute(queries);
}

/** Endpoints that take events now, the newest first. */
export async function listLiveEndpoints(queries: Queries, limit: number) {
  return queries
    .selectFrom('endpoints')
    .select(['url', 'failing_since'])
    .where('disabled_at', 'is', null)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute();
}
