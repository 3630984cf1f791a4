import type { Database } from '../../base/db/database.ts';
import { migrations } from '../../base/db/migrating/migrate.ts';
import { readSchema, type SchemaState } from '../../base/db/migrating/read-schema.ts';
import { processorPressure } from '../../base/std/lateness/processor-pressure.ts';
import { isBusy } from './check-processor.ts';
import { askOnce, type PostgresServer, readPostgresServer, readSqliteVersion } from './examination-store.ts';
import type { Finding } from './finding.ts';

const oldestPostgres = 14;
/** The slowest acceptable round trip. A request that creates a job waits for two or three. */
const slowMs = 20;
/** With fewer free connections, a rolling restart may not get enough. */
const spareConnections = 20;

export async function checkDatabase(database: Database): Promise<Finding & { isCurrent: boolean }> {
  // Reads in a transaction, which shows that the database accepts writes.
  const schema = await database.transaction((tx) => readSchema(tx, database.kind));
  const server = database.kind === 'postgres' ? await readPostgresServer(database.read) : null;
  const ms = await latencyMs(database);
  const what = server ? `PostgreSQL ${server.name}` : `SQLite ${await readSqliteVersion(database.read)}`;
  const found = `${what}, schema ${schema.version} of ${migrations.length}, answers in ${ms} ms`;
  const isCurrent = schema.version >= migrations.length && schema.isReadable;
  const wrong = judgeSchema(schema) ?? (server && judgeServer(server)) ?? judgeLatency(ms);
  if (!wrong) return { name: 'database', status: 'ok', found, isCurrent };
  const { reason, ...judged } = wrong;
  return { name: 'database', ...judged, found: reason ? `${found}; ${reason}` : found, isCurrent };
}

type Judged = Pick<Finding, 'status'> & { next: string; reason?: string };

function judgeSchema({ version, isReadable }: SchemaState): Judged | null {
  if (!isReadable) return { status: 'fail', next: 'use the newer version that created this schema' };
  if (version >= migrations.length) return null;
  const next =
    'darkroom migrate --plan shows what the next start does to the schema, and how long that takes';
  // This version's commands work only once the database is migrated.
  return version === 0
    ? { status: 'warn', next }
    : { status: 'fail', next: `make a backup, then run darkroom migrate; ${next}` };
}

function judgeServer({
  version,
  keeps,
  standby,
  connections,
  mostConnections,
}: PostgresServer): Judged | null {
  if (version < oldestPostgres * 10_000)
    return { status: 'fail', next: `upgrade the server to PostgreSQL ${oldestPostgres} or newer` };
  if (standby)
    return {
      status: 'fail',
      reason: 'it is a standby and accepts no writes',
      next: 'point DATABASE_URL at the primary server',
    };
  if (!keeps)
    return {
      status: 'warn',
      reason: 'confirmed commits may be lost in a power failure',
      next: 'set fsync = on, and synchronous_commit to anything but off',
    };
  if (mostConnections - connections < spareConnections)
    return {
      status: 'warn',
      reason: `${connections} of ${mostConnections} connections are in use`,
      next: 'raise max_connections, or put PgBouncer with transaction pooling in front (docs/guides/operating.md, A pooler)',
    };
  return null;
}

function judgeLatency(ms: number): Judged | null {
  if (ms < slowMs) return null;
  // Busy processors make this measurement slow too.
  return isBusy(processorPressure())
    ? { status: 'warn', next: 'check the processors first: their load may be the only cause' }
    : { status: 'warn', next: 'move server and database closer together, or find out what keeps it busy' };
}

/** Takes the median of five round trips, because the first one also opens the connection. */
async function latencyMs({ read }: Database): Promise<number> {
  const took: number[] = [];
  for (let nth = 0; nth < 5; nth += 1) {
    const began = performance.now();
    await askOnce(read);
    took.push(performance.now() - began);
  }
  const middle = took.sort((one, other) => one - other)[2] ?? 0;
  return Math.round(middle * 10) / 10;
}
