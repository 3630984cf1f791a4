import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely';
import pg from 'pg';
import { SettingError } from '../errors.ts';
import {
  type Database,
  DatabaseRefused,
  DatabaseUnavailable,
  maxTransactionTries,
  transactionGuard,
} from './database.ts';
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

/**
 * What every connection of ours asks of the planner and of the clock. `off` makes a way dear, it does not forbid it: what
 * has no index is still read from end to end. The price is paid by reports (usage, the overview, `verify`), which visit by
 * index, row by row, what one sequential scan and a hash join would give them sooner; nobody waits for them in a hurry.
 * What was measured stands in docs/decisions/0012.
 */
const sessionSettings: readonly [name: string, value: string | number][] = [
  // A plan made while a table was empty reads all of it, and a prepared statement keeps its plan when the table has grown.
  ['enable_seqscan', 'off'],
  // Both read one side of a join whole before they look at the other: in a batch that is every job for a few of them.
  ['enable_hashjoin', 'off'],
  ['enable_mergejoin', 'off'],
  // Keeps the inner side of a nested loop in memory, read whole, instead of looking each row up.
  ['enable_material', 'off'],
  // Every statement of ours has one good plan, so it is not planned again for each set of values.
  ['plan_cache_mode', 'force_generic_plan'],
  ['statement_timeout', statementTimeoutMs],
  ['lock_timeout', lockTimeoutMs],
  // A process that was stopped in a transaction must not hold its locks for longer than a statement may last.
  ['idle_in_transaction_session_timeout', statementTimeoutMs],
];

/** Opens a pool of connections to a PostgreSQL server, version 14 or newer. */
export async function openPostgres(url: string): Promise<Database> {
  const config = poolConfigOf(url);
  const server = serverOf(config);
  const pool = new pg.Pool({ ...config, onConnect: applySessionSettings });
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
    server,
    read,
    async transaction(work) {
      transactionGuard.assertOutside();
      return withConnection(async (connection) => {
        connection.begin();
        try {
          const result = await handles.transaction(connection.queries, work);
          await connection.commit();
          return result;
        } catch (error) {
          await connection.rollback();
          throw error;
        }
      });
    },
    notify(channel, text = '') {
      // Outside of transactions: a commit that carries a notification takes a lock that all commits share.
      pool.query('select pg_notify($1, $2)', [`darkroom_${channel}`, text]).catch(() => {});
    },
    listen: (channel, callback) => listener.add(channel, callback),
    async backup() {
      throw new DatabaseRefused('Back up PostgreSQL with its own pg_dump; see docs/guides/operating.md.');
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

function poolConfigOf(url: string): pg.PoolConfig {
  return {
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs,
    pipeline: true,
    types: { getTypeParser: (oid: number, format?: 'text' | 'binary') => parserFor(oid, format) },
    application_name: 'darkroom',
  };
}

/** A statement and not `options` of the connection, which PgBouncer refuses. */
async function applySessionSettings(client: pg.ClientBase): Promise<void> {
  await client.query(sessionSettings.map(([name, value]) => `set ${name} = ${value}`).join('; '));
}

/** @throws SettingError */
function serverOf(config: pg.ClientConfig): { host: string; port: number } {
  try {
    const { host, port } = new pg.Client(config);
    if (host.includes(',')) throw new Error('it names several servers, and the driver takes one');
    return { host, port };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new SettingError(
      `DATABASE_URL cannot be read: ${why}. Write it as postgres://user:password@host:5432/name, with % codes for special characters of the password.`,
    );
  }
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

const unavailableStates = /^(08|53|57P|40|25006|25P03|57014|55P03|58030)/;
// ENOENT: the socket file of a server that restarts. EMFILE: this process has no descriptor left for a connection.
const networkCodes =
  /^(ECONN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENET|EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN|ENOENT|EMFILE|ENFILE)/;
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
