import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely';
import pg from 'pg';
import { SettingError } from '../errors.ts';
import { createMeter, type Meter } from '../metrics/meter.ts';
import {
  type Database,
  DatabaseRefused,
  DatabaseUnavailable,
  maxTransactionTries,
  transactionGuard,
} from './database.ts';
import { PostgresConnection, StatementNames } from './postgres-connection.ts';
import { PostgresListener } from './postgres-listener.ts';
import { PrimaryPool } from './postgres-pool.ts';
import { createServers, listServerUrls, type ServerConfig } from './postgres-servers.ts';
import { Handles } from './queries.ts';
import { createQueryTimes } from './query-times.ts';

const poolSize = 10;
// After this time a request without a connection gets a retryable error instead of waiting longer.
const connectTimeoutMs = 3_000;
const statementTimeoutMs = 15_000;
// Shorter than the statement timeout, so that one locked row does not hold up a batch with other accounts'
// creates as long.
const lockTimeoutMs = 5_000;
const tryAgainMs = 20;

/**
 * Settings of every connection. `off` only makes the planner avoid a method: a table without a suitable index
 * is still scanned. Reports (usage, the overview, `verify`) pay for it: they look up row by row what a
 * sequential scan and a hash join would read faster, which is acceptable because they are not urgent.
 * docs/decisions/0012 has the measurements.
 */
const sessionSettings: readonly [name: string, value: string | number][] = [
  // A plan made while a table was empty uses a sequential scan, and a prepared statement keeps it when the
  // table has grown.
  ['enable_seqscan', 'off'],
  // Hash and merge joins read one side completely first: in a batch, every job to find a few.
  ['enable_hashjoin', 'off'],
  ['enable_mergejoin', 'off'],
  // Reads the inner side of a nested loop completely and keeps it in memory, instead of looking up each row.
  ['enable_material', 'off'],
  // Every statement here has one good plan, so planning it again for each set of values gains nothing.
  ['plan_cache_mode', 'force_generic_plan'],
  ['statement_timeout', statementTimeoutMs],
  ['lock_timeout', lockTimeoutMs],
  // A process that was suspended inside a transaction must not hold its locks for longer than a statement may
  // run.
  ['idle_in_transaction_session_timeout', statementTimeoutMs],
];

/** Opens connections to a PostgreSQL server, version 14 or newer, or to the primary of several. */
export async function openPostgres(url: string, meter: Meter = createMeter()): Promise<Database> {
  const times = createQueryTimes(meter);
  const list = listServerUrls(url).map(configOf);
  const servers = createServers(list);
  const pool = new PrimaryPool(servers, applySessionSettings);
  const names = new StatementNames();
  const handles = new Handles({
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  });
  const listener = new PostgresListener(() => servers.primary());

  /**
   * Runs `use` with a connection, and again when the database rolled back everything for a reason that may
   * pass.
   */
  async function withConnection<T>(use: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        const connection = new PostgresConnection(await pool.connect(), names);
        return await use(connection).finally(() => connection.release());
      } catch (error) {
        const state = sqlStateOf(error);
        if (state === tableChanged) names.renew();
        if (!mayRunAgain.has(state) || attempt === maxTransactionTries) {
          const translated = translate(error);
          if (translated instanceof DatabaseUnavailable) servers.doubt();
          throw translated;
        }
        await sleep(tryAgainMs * attempt * Math.random());
      }
    }
  }

  const read = handles.reads((use) =>
    times.time('read', () => withConnection((connection) => use(connection.queries))),
  );
  meterPool(pool, meter);

  return {
    kind: 'postgres',
    servers: list.map(({ host, port }) => ({ host, port })),
    read,
    async transaction(work) {
      transactionGuard.assertOutside();
      return times.time('transaction', () =>
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
      );
    },
    notify(channel, text = '') {
      // Outside of transactions, because a commit with a notification takes a lock that all commits share.
      pool.query('select pg_notify($1, $2)', [`darkroom_${channel}`, text]).catch(() => {});
    },
    listen: (channel, callback) => listener.add(channel, callback),
    isElected: () => listener.isElected(),
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

function meterPool(pool: PrimaryPool, meter: Meter): void {
  meter.reading(
    'darkroom_database_connections',
    'Of this process to PostgreSQL; waiting: what waits for one.',
    ['state'],
    () => {
      const { used, idle, waiting } = pool.count();
      return [
        [used, ['used']],
        [idle, ['idle']],
        [waiting, ['waiting']],
      ];
    },
  );
}

/** @throws SettingError */
function configOf(url: string): ServerConfig {
  const config = {
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs,
    pipeline: true,
    types: { getTypeParser: (oid: number, format?: 'text' | 'binary') => parserFor(oid, format) },
    application_name: 'darkroom',
  };
  return { ...config, ...serverOf(config) };
}

/** Sent as a statement, because PgBouncer refuses settings in the connection's `options`. */
async function applySessionSettings(client: pg.ClientBase): Promise<void> {
  await client.query(sessionSettings.map(([name, value]) => `set ${name} = ${value}`).join('; '));
}

/** @throws SettingError */
function serverOf(config: pg.ClientConfig): { host: string; port: number } {
  try {
    const { host, port } = new pg.Client(config);
    return { host, port };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new SettingError(
      `DATABASE_URL cannot be read: ${why}. Write it as postgres://user:password@host:5432/name, with % codes for special characters of the password.`,
    );
  }
}

// Parsed as numbers: times, counts and amounts are all below 2^53.
const integerOids = new Set([20, 1700]);
function parserFor(oid: number, format: 'text' | 'binary' = 'text') {
  if (integerOids.has(oid) && format === 'text') return Number;
  return pg.types.getTypeParser(oid, format as 'text'); // the overloads differ only in the parser's argument
}

function sqlStateOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

// "cached plan must not change result type": a migration ran after the statement was prepared.
const tableChanged = '0A000';
// Also serialization failures and deadlocks: the database rolled back everything, so the same work can run
// again.
const mayRunAgain = new Set([tableChanged, '40001', '40P01']);

const unavailableStates = /^(08|53|57P|40|25006|25P03|57014|55P03|58030)/;
// ENOENT: the socket file is missing while the server restarts. EMFILE: this process has no file descriptor
// left.
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
