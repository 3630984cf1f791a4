import { setTimeout as sleep } from 'node:timers/promises';
import { CompiledQuery, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely';
import pg from 'pg';
import { SettingError } from '../../errors.ts';
import { createMeter, type Meter } from '../metrics/meter.ts';
import { isOwnFault } from '../std/lateness/own-delay.ts';
import {
  type Database,
  DatabaseFull,
  DatabaseRefused,
  DatabaseUnavailable,
  maxTransactionTries,
  Outdated,
  ProcessLate,
  transactionGuard,
} from './database.ts';
import { PostgresConnection, StatementNames } from './postgres/connection.ts';
import { isRunning, PostgresListener } from './postgres/listener.ts';
import { PrimaryPool } from './postgres/pool.ts';
import { assertOwnSessions, keepsStatements } from './postgres/pooler.ts';
import { readRevision } from './postgres/read-revision.ts';
import { identityText, positionText, Replica, replicaConnections } from './postgres/replica.ts';
import { createServers, listServerUrls, type ServerConfig } from './postgres/servers.ts';
import { openSession } from './postgres/session.ts';
import { applySettings, beginWithSettings, statementTimeoutMs } from './postgres/settings.ts';
import { Handles } from './queries.ts';
import { createQueryTimes, type QueryTimes } from './query-times.ts';
import { isOutdated } from './rows.ts';
import type { Queries, Tx } from './schema.ts';
import { shareReads } from './share-reads.ts';

// The wait for a connection, after which a request gets a retryable error.
const connectTimeoutMs = 3_000;
const tryAgainMs = 20;

const remedy = 'set DATABASE_DIRECT_URL to the address of the PostgreSQL server itself';

export interface PostgresOptions {
  directUrl?: string | undefined;
  readUrl?: string | undefined;
  onReplica?: (reason: string | undefined) => void;
  connections: number;
  meter?: Meter;
}

/** Opens connections to a PostgreSQL server, version 14 or newer, or to the primary of several. */
export async function openPostgres(
  url: string,
  { directUrl, readUrl, onReplica = () => {}, connections, meter = createMeter() }: PostgresOptions,
): Promise<Database> {
  const times = createQueryTimes(meter);
  const { servers, sessions, ofSessions, all } = placesOf(url, directUrl, connections);
  const names = new StatementNames();
  const check = onceWell(async (client: pg.ClientBase) =>
    assertOwnSessions({ name: ofSessions, remedy }, await sessions.primary(), directUrl ? undefined : client),
  );
  const pool = new PrimaryPool(servers, async (client) => {
    if (!directUrl) await applySettings(client);
    else if (!(await keepsStatements(client))) names.giveNone();
    await check(client);
  });
  const handles = new Handles({
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  });
  const listener = new PostgresListener(sessions);
  const { withConnection, inTransaction } = createRunner({
    connect: async () => new PostgresConnection(await pool.connect(), names),
    begin: directUrl ? beginWithSettings : 'begin',
    onChangedTable: () => names.renew(),
    onUnavailable: () => servers.doubt(),
  });
  // Behind a pooler, our settings last only for a transaction, so reads need a transaction.
  const readOn = directUrl ? inTransaction : withConnection;
  const read = handles.reads((use) => times.time('read', () => readOn(({ queries }) => use(queries))));
  meterPool(pool, meter);
  const config = readUrl === undefined ? undefined : replicaOf(readUrl);
  const replica =
    config && new Replica({ config, primary: primaryBy(withConnection), meter, onChange: onReplica });

  async function transaction<T, U>(work: (tx: Tx) => Promise<T>, last?: (tx: Tx, found: T) => Promise<U>) {
    transactionGuard.assertOutside();
    return times.time('transaction', () =>
      inTransaction((connection) =>
        handles.transaction<T | U>(connection.queries, async (tx) => {
          const found = await work(tx);
          return last ? connection.commitWith(() => last(tx, found)) : found;
        }),
      ),
    );
  }

  return {
    kind: 'postgres',
    servers: config ? [...all, config].map(({ host, port }) => ({ host, port })) : all,
    read,
    reports: replica ? reportsOf(handles, replica, times, readOn) : read,
    // Loose transactions also wait for the disk: the server could lose unsynced data while this process continues.
    ...{ transaction, longTransaction: transaction, looseTransaction: transaction },
    notify(channel, text = '') {
      // This runs outside transactions, because all commits with a notification wait for one lock.
      pool.query('select pg_notify($1, $2)', [`darkroom_${channel}`, text]).catch(() => {});
    },
    listen: (channel, callback) => listener.add(channel, callback),
    ...amongProcesses(listener, read),
    replicaLag: async () => replica?.lag(),
    openSession: async () => openSession(await sessions.primary()),
    async backup() {
      throw new DatabaseRefused('Back up PostgreSQL with its own pg_dump; see docs/guides/operating.md.');
    },
    overwriteDeleted: async () => true,
    size: () => readSize(read),
    async [Symbol.asyncDispose]() {
      await listener.close();
      await replica?.end();
      await pool.end();
    },
  };
}

function amongProcesses(
  listener: PostgresListener,
  read: Queries,
): Pick<Database, 'revision' | 'isElected' | 'process' | 'isRunning'> {
  const { process } = listener;
  return {
    revision: shareReads(() => readRevision(read)),
    isElected: () => listener.isElected(),
    process,
    isRunning: async (other) => other === process || isRunning(read, other),
  };
}

async function readSize(read: Queries): Promise<number> {
  const { rows } = await sql<{
    bytes: number;
  }>`select pg_database_size(current_database()) as bytes`.execute(read);
  return rows[0]?.bytes ?? 0;
}

/** Splits the settings into addresses for transactions and for our own sessions. @throws SettingError */
function placesOf(url: string, directUrl: string | undefined, connections: number) {
  const list = listOf('DATABASE_URL', url, connections - 1);
  const servers = createServers(list);
  const all = list.map(({ host, port }) => ({ host, port }));
  if (!directUrl) return { servers, sessions: servers, ofSessions: 'DATABASE_URL', all };
  const direct = listOf('DATABASE_DIRECT_URL', directUrl, 1);
  return {
    servers,
    sessions: createServers(direct),
    ofSessions: 'DATABASE_DIRECT_URL',
    all: [...all, ...direct.map(({ host, port }) => ({ host, port }))],
  };
}

/** @throws SettingError */
function replicaOf(url: string): ServerConfig {
  const name = 'DATABASE_READ_URL';
  const [config, ...others] = listOf(name, url, replicaConnections);
  if (config && others.length === 0) return config;
  throw new SettingError(`${name} names several servers; it must be the address of one replica.`);
}

function primaryBy(withConnection: ReturnType<typeof createRunner>['withConnection']) {
  const ask = (text: string) =>
    withConnection(async ({ queries }) => {
      const { rows } = await queries.executeQuery<Record<string, string>>(CompiledQuery.raw(text));
      return Object.values(rows[0] ?? {})[0] ?? '';
    });
  return { position: () => ask(positionText), identity: () => ask(identityText) };
}

function reportsOf(
  handles: Handles,
  replica: Replica,
  times: QueryTimes,
  onPrimary: ReturnType<typeof createRunner>['withConnection'],
): Queries {
  const names = new StatementNames();
  return handles.reads((use) =>
    times.time('read', () =>
      replica.read(
        async (client) => {
          const connection = new PostgresConnection(client, names);
          try {
            return await use(connection.queries);
          } catch (error) {
            if (sqlStateOf(error) === tableChanged) names.renew();
            throw error;
          } finally {
            connection.release();
          }
        },
        () => onPrimary(({ queries }) => use(queries)),
      ),
    ),
  );
}

/** Runs `work` until it has succeeded once. */
function onceWell<Of>(work: (of: Of) => Promise<void>): (of: Of) => Promise<void> {
  let done: Promise<void> | undefined;
  return (of) =>
    (done ??= work(of).catch((error: unknown) => {
      done = undefined;
      throw error;
    }));
}

interface Runner {
  connect(): Promise<PostgresConnection>;
  begin: string;
  onChangedTable(): void;
  onUnavailable(): void;
}

function createRunner({ connect, begin, onChangedTable, onUnavailable }: Runner) {
  /** Runs `work` with a connection. Repeats it if the database rolled everything back for a temporary reason. */
  async function withConnection<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        const connection = await connect();
        return await work(connection).finally(() => connection.release());
      } catch (error) {
        const state = sqlStateOf(error);
        if (state === tableChanged) onChangedTable();
        if (!mayRunAgain.has(state) || attempt === maxTransactionTries) {
          const translated = translate(error);
          if (translated instanceof DatabaseUnavailable) onUnavailable();
          throw translated;
        }
        await sleep(tryAgainMs * attempt * Math.random());
      }
    }
  }

  return {
    withConnection,
    inTransaction: <T>(work: (connection: PostgresConnection) => Promise<T>) =>
      withConnection(async (connection) => {
        connection.begin(begin);
        try {
          const result = await work(connection);
          await connection.commit();
          return result;
        } catch (error) {
          await connection.rollback();
          throw error;
        }
      }),
  };
}

function meterPool(pool: PrimaryPool, meter: Meter): void {
  meter.reading(
    'darkroom_database_connections',
    'Connections of this process to PostgreSQL, by state; waiting: queries that wait for one.',
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
function listOf(setting: string, url: string, max: number): ServerConfig[] {
  return listServerUrls(setting, url).map((connectionString) => {
    const config = {
      connectionString,
      max,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: statementTimeoutMs,
      pipeline: true,
      types: { getTypeParser: (oid: number, format?: 'text' | 'binary') => parserFor(oid, format) },
      application_name: 'darkroom',
    };
    return { ...config, ...serverOf(setting, config) };
  });
}

/** @throws SettingError */
function serverOf(setting: string, config: pg.ClientConfig): { host: string; port: number } {
  try {
    const { host, port } = new pg.Client(config);
    return { host, port };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new SettingError(
      `${setting} cannot be read: ${why}. Write it as postgres://user:password@host:5432/name, with % codes for special characters of the password.`,
    );
  }
}

// The types to parse as numbers: times, counts and amounts, which are all below 2^53.
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
// Errors that roll everything back, so that the work can run again. 40001 is a serialization failure, 40P01 a deadlock.
const mayRunAgain = new Set([tableChanged, '40001', '40P01']);

const diskFull = '53100';
// The driver's timeouts. In a busy process, they can fire although an answer came in time, because it was not read yet.
const ranOut = /timeout exceeded when trying to connect|Query read timeout/;
const unavailableStates = /^(08|53|57P|40|25006|25P03|57014|55P03|58030)/;
// ENOENT: the server is restarting, so its socket file is missing. EMFILE: this process has no file descriptor left.
const networkCodes =
  /^(ECONN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENET|EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN|ENOENT|EMFILE|ENFILE)/;
const driverMessages =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|not queryable|Client was closed|Cannot use a pool/;

function translate(error: unknown): unknown {
  if (isOutdated(error)) return new Outdated();
  const code = sqlStateOf(error);
  const message = error instanceof Error ? error.message : '';
  if (/^(28|3D000)/.test(code))
    return new DatabaseRefused(`PostgreSQL refuses the connection: ${message}`, { cause: error });
  if (code === diskFull) return new DatabaseFull("The database's disk is full.", { cause: error });
  if (ranOut.test(message) && isOwnFault(connectTimeoutMs))
    return new ProcessLate("This process read the database's answer too late.", { cause: error });
  if (unavailableStates.test(code) || networkCodes.test(code) || driverMessages.test(message)) {
    return new DatabaseUnavailable('The database does not answer.', { cause: error });
  }
  return error;
}
