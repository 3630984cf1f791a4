import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import pg from 'pg';
import {
  type Channel,
  type Database,
  DatabaseRefused,
  DatabaseUnavailable,
  maxTransactionTries,
  transactionGuard,
} from './database.ts';
import { MicrosPlugin } from './micros-plugin.ts';
import type { Schema } from './schema.ts';

const poolSize = 10;
// A request that cannot get a connection in this time is told to come back rather than kept waiting.
const connectTimeoutMs = 3_000;
const statementTimeoutMs = 15_000;
const relistenMs = 500;
const deadlockPauseMs = 20;

/** Opens a pool of connections to a PostgreSQL server, version 14 or newer. */
export async function openPostgres(url: string): Promise<Database> {
  const config: pg.PoolConfig = {
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: statementTimeoutMs,
    // Statements prepared while tables were empty would keep their sequential scans for ever.
    options: `-c enable_seqscan=off -c statement_timeout=${statementTimeoutMs} -c idle_in_transaction_session_timeout=${statementTimeoutMs}`,
    types: { getTypeParser: (oid: number, format?: 'text' | 'binary') => parserFor(oid, format) },
    application_name: 'darkroom',
  };
  const pool = new pg.Pool(config);
  pool.on('error', () => {}); // an idle connection broke: the pool has already dropped it, the next query opens another
  const kysely = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool }),
    plugins: [new MicrosPlugin()],
  });
  const read = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => guarded(new PostgresDialect({ pool }).createDriver()),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    plugins: [new MicrosPlugin()],
  });
  const listener = new Listener(config);

  return {
    kind: 'postgres',
    read,
    async transaction(work) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await transactionGuard.run(() => kysely.transaction().execute(work));
        } catch (error) {
          if (!shouldRunAgain(error) || attempt === maxTransactionTries) throw translate(error);
          await sleep(deadlockPauseMs * attempt * Math.random());
        }
      }
    },
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

function guarded(driver: Driver): Driver {
  const acquire = driver.acquireConnection.bind(driver);
  driver.acquireConnection = async (options) => {
    transactionGuard.assertOutside();
    try {
      return await acquire(options);
    } catch (error) {
      throw translate(error);
    }
  };
  return driver;
}

// Whole numbers arrive as numbers: times, counts and amounts are all below 2^53.
const integerOids = new Set([20, 1700]);
function parserFor(oid: number, format: 'text' | 'binary' = 'text') {
  if (integerOids.has(oid) && format === 'text') return Number;
  return pg.types.getTypeParser(oid, format as 'text'); // the overloads differ in the parser's argument only
}

/** One connection of its own for LISTEN, opened again whenever it breaks. */
class Listener {
  #config: pg.PoolConfig;
  #callbacks = new Map<string, Set<() => void>>();
  #client: pg.Client | undefined;
  #closed = false;
  #connecting = false;

  constructor(config: pg.PoolConfig) {
    this.#config = config;
  }

  add(channel: Channel, callback: () => void): () => void {
    const name = `darkroom_${channel}`;
    const callbacks = this.#callbacks.get(name) ?? new Set();
    callbacks.add(callback);
    this.#callbacks.set(name, callbacks);
    if (this.#client) void this.#client.query(`listen ${name}`).catch(() => {});
    else void this.#connect();
    return () => callbacks.delete(callback);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    if (this.#connecting || this.#closed) return;
    this.#connecting = true;
    try {
      const client = new pg.Client({ ...this.#config, keepAlive: true });
      client.on('error', () => this.#reconnectLater());
      client.on('end', () => this.#reconnectLater());
      client.on('notification', ({ channel }) => {
        for (const callback of this.#callbacks.get(channel) ?? []) callback();
      });
      await client.connect();
      for (const name of this.#callbacks.keys()) await client.query(`listen ${name}`);
      this.#client = client;
      this.#connecting = false;
      // Whatever was notified while nobody listened.
      for (const callbacks of this.#callbacks.values()) for (const callback of callbacks) callback();
    } catch {
      this.#connecting = false;
      this.#reconnectLater();
    }
  }

  #reconnectLater(): void {
    this.#client = undefined;
    if (this.#closed) return;
    setTimeout(() => void this.#connect(), relistenMs).unref();
  }
}

function sqlStateOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

// 40001 serialization failure, 40P01 deadlock: the database undid everything, the same work may simply run again.
function shouldRunAgain(error: unknown): boolean {
  return ['40001', '40P01'].includes(sqlStateOf(error));
}

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
