import { sql } from 'kysely';
import type { Queries } from '../../base/db/schema.ts';

export async function readSqliteVersion(queries: Queries): Promise<string> {
  const { rows } = await sql<{ version: string }>`select sqlite_version() as version`.execute(queries);
  return rows[0]?.version ?? '';
}

export interface PostgresServer {
  /** The server's version, such as 160004. */
  version: number;
  name: string;
  /** Whether commits survive a loss of power. */
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
  if (!row) throw new Error('the server reports nothing about itself');
  return row;
}

export async function askOnce(queries: Queries): Promise<void> {
  await sql`select 1`.execute(queries);
}

export async function listLiveEndpoints(queries: Queries, limit: number) {
  return queries
    .selectFrom('endpoints')
    .select(['url', 'failing_since'])
    .where('disabled_at', 'is', null)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute();
}
