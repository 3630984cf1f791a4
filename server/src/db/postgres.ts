import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely';
import pg from 'pg';
import { type Database, DatabaseRefused, DatabaseUnavailable, maxTransactionTries } from './database.ts';
import { PostgresConnection, StatementNames } from './postgres-connection.ts';
import { PostgresListener } from './postgres-listener.ts';
import { Handles } from './queries.ts';

const poolSize = 10;
// A request that cannot get a connection in this time is told to come back rather than kept waiting.
const connectTimeoutMs = 3_000;
const statementTimeoutMs = 15_000;
// Shorter than a statement's: one held row must not keep a batch of other accounts' creates for as long.
const lockTimeoutMs = 5_000;
const tryAgainMs = 20;

/** Opens a pool of connections to a PostgreSQL server, version 14 or newer. */
export async function openPostgres(url: string): Promise<Database> {
  const config: pg.PoolConfig = {
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs,
    pipeline: true,
    // Statements prepared while tables were empty would keep their sequential scans for ever. Every statement of ours has
    // one good plan, so it is not planned again for each set of values.
    options: `-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c enable_material=off -c plan_cache_mode=force_generic_plan -c statement_timeout=${statementTimeoutMs} -c lock_timeout=${lockTimeoutMs} -c idle_in_transaction_session_timeout=${statementTimeoutMs}`,
    types: { getTypeParser: (oid: number, format?: 'text' | 'binary') => parserFor(oid, format) },
    application_name: 'darkroom',
  };
  const pool = new pg.Pool(config);
  pool.on('error', () => {}); // an idle connection broke: the pool has already dropped it, the next query opens another
  // A connection that breaks in use tells its query too; unheard, the event would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  const names = new StatementNames();
  const handles = new Handles({
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  });
  const listener = new PostgresListener(config);

  /** Runs `use` with a connection; again when the database undid everything and says that it may succeed now. */
  async function withConnection<T>(use: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        const connection = new PostgresConnection(await pool.connect(), names);
        return await use(connection).finally(() => connection.release());
      } catch (error) {
        const state = sqlStateOf(error);
        if (state === tableChanged) names.renew();
        if (!mayRunAgain.has(state) || attempt === maxTransactionTries) throw translate(error);
        await sleep(tryAgainMs * attempt * Math.random());
      }
    }
  }

  const read = handles.reads((use) => withConnection((connection) => use(connection.queries)));

  return {
    kind: 'postgres',
    read,
    transaction: (work) =>
      withConnection(async (connection) => {
        connection.begin();
        try {
          const result = await handles.transaction(connection.queries, work);
          await connection.commit();
          return result;
        } catch (error) {
          await connection.rollback();
          throw error;
        }
      }),
    notify(channel) {
      // Outside of transactions: a commit that carries a notification takes a lock that all commits share.
      pool.query(`select pg_notify('darkroom_${channel}', '')`).catch(() => {});
    },
    listen: (channel, callback) => listener.add(channel, callback),
    async backup() {
      throw new DatabaseRefused('Back up PostgreSQL with its own pg_dump; see docs/guides/backup.md.');
    },
    async size() {
      const { rows } = await sql<{
        bytes: number;
      }>`select pg_database_size(current_database()) as bytes`.execute(read);
      return rows[0]?.bytes ?? 0;
    },
    async [Symbol.asyncDispose]() {
      await listener.close();
      await pool.end();
    },
  };
}

// Whole numbers arrive as numbers: times, counts and amounts are all below 2^53.
const integerOids = new Set([20, 1700]);
function parserFor(oid: number, format: 'text' | 'binary' = 'text') {
  if (integerOids.has(oid) && format === 'text') return Number;
  return pg.types.getTypeParser(oid, format as 'text'); // the overloads differ in the parser's argument only
}

function sqlStateOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

// "cached plan must not change result type": a migration ran since the statement was prepared.
const tableChanged = '0A000';
// And a serialization failure, and a deadlock: the database undid everything, the same work may simply run again.
const mayRunAgain = new Set([tableChanged, '40001', '40P01']);

const unavailableStates = /^(08|53|57P|40|25006|57014|55P03)/;
const networkCodes = /^(ECONN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)/;
const driverMessages =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|not queryable|Client was closed|Cannot use a pool/;

function translate(error: unknown): unknown {
  const code = sqlStateOf(error);
  const message = error instanceof Error ? error.message : '';
  if (/^(28|3D000)/.test(code))
    return new DatabaseRefused(`PostgreSQL refuses the connection: ${message}`, { cause: error });
  if (unavailableStates.test(code) || networkCodes.test(code) || driverMessages.test(message)) {
    return new DatabaseUnavailable('The database does not answer.', { cause: error });
  }
  return error;
}
