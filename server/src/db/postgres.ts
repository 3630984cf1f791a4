import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  PostgresIntrospector,
  type PostgresPool,
  type PostgresPoolClient,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import pg from 'pg';
import {
  type Channel,
  channels,
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
  // A connection that breaks in use tells its query too; unheard, the event would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  const dialect = new PostgresDialect({ pool: droppingBroken(pool) });
  const kysely = new Kysely<Schema>({
    dialect,
    plugins: [new MicrosPlugin()],
  });
  const read = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => guarded(dialect.createDriver()),
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

/** A client whose query ended without an answer is closed when it comes back: its connection may be half open. */
function droppingBroken(pool: pg.Pool): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect();
      let broken: unknown;
      async function query(text: string, values: unknown[]) {
        // A rollback would wait behind the query that nobody answers.
        if (broken !== undefined) throw broken;
        try {
          return await client.query(text, values);
        } catch (error) {
          if (!(error instanceof pg.DatabaseError)) broken = error;
          throw error;
        }
      }
      // Kysely also knows cursors, which are never used here.
      return {
        query: query as unknown as PostgresPoolClient['query'],
        release: (destroy) => client.release(destroy === true || broken !== undefined),
      };
    },
  };
}

/** For reads, which have no transaction around them to translate their errors. */
function guarded(driver: Driver): Driver {
  const acquire = driver.acquireConnection.bind(driver);
  driver.acquireConnection = async (options) => {
    transactionGuard.assertOutside();
    const connection = await acquire(options).catch(rethrowTranslated);
    const execute = connection.executeQuery.bind(connection);
    connection.executeQuery = <R>(...query: Parameters<typeof execute>) =>
      execute<R>(...query).catch(rethrowTranslated);
    return connection;
  };
  return driver;
}

function rethrowTranslated(error: unknown): never {
  throw translate(error);
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

  constructor(config: pg.PoolConfig) {
    this.#config = config;
  }

  add(channel: Channel, callback: () => void): () => void {
    const name = `darkroom_${channel}`;
    const callbacks = this.#callbacks.get(name) ?? new Set();
    callbacks.add(callback);
    this.#callbacks.set(name, callbacks);
    if (!this.#client) void this.#connect();
    return () => callbacks.delete(callback);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    if (this.#client || this.#closed) return;
    const client = new pg.Client({ ...this.#config, keepAlive: true });
    this.#client = client;
    client.on('error', () => this.#drop(client));
    client.on('end', () => this.#drop(client));
    client.on('notification', ({ channel }) => {
      for (const callback of this.#callbacks.get(channel) ?? []) callback();
    });
    try {
      await client.connect();
      for (const channel of channels) await client.query(`listen darkroom_${channel}`);
    } catch {
      this.#drop(client);
    }
    // Dropped or closed while it connected: what ended it then may have come before there was a connection to end.
    if (this.#client !== client) return void client.end().catch(() => {});
    // Whatever was notified while nobody listened.
    for (const callbacks of this.#callbacks.values()) for (const callback of callbacks) callback();
  }

  /** Ends a client that broke. It may say so several times, and long after another took its place. */
  #drop(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    client.end().catch(() => {});
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
