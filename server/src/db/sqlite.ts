import { rm, stat } from 'node:fs/promises';
import { backup, DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Clock } from '../std/clock.ts';
import { type Database, DatabaseRefused, DatabaseUnavailable, transactionGuard } from './database.ts';
import { MicrosPlugin } from './micros-plugin.ts';
import type { Schema } from './schema.ts';

// Waiting for a lock blocks the event loop, so the wait inside SQLite is short and the rest happens between turns.
const busyTimeoutMs = 20;
const busyRetryMs = 15;
// Longer than any transaction of ours; a command beside the server that holds the lock longer is broken.
const lockPatienceMs = 10_000;
// Statement texts are few (batches are one JSON parameter), so this is never reached in practice.
const maxStatements = 500;
// The largest number of pages that a backup's step takes.
const everyPage = 2_147_483_647;
// Checkpointing 4,000 pages (16 MB) at a time keeps the log small without stalling a commit for long.
const checkpointPages = 4000;

/** Opens (or creates) one database file, shared safely with other processes on this machine. */
export async function openSqlite(file: string, clock: Clock): Promise<Database> {
  const writer = open(file, clock, { readOnly: false });
  const reader = open(file, clock, { readOnly: true });
  const read = kysely(new SingleConnectionDriver(new SqliteConnection(reader, translate), 'reads'));
  const write = kysely(
    new SingleConnectionDriver(new SqliteConnection(writer, (error) => error), 'transactions'),
  );

  return {
    kind: 'sqlite',
    read,
    transaction: (work) =>
      transactionGuard
        .run(() => write.transaction().execute(work))
        .catch((error: unknown) => {
          throw translate(error);
        }),
    // One process runs the jobs of a file, so there is nobody else to wake; the poll covers the commands beside it.
    notify: () => {},
    listen: () => () => {},
    async backup(target) {
      // SQLite would write over a file that is there, and over what is in it.
      if (await exists(target))
        throw new DatabaseRefused(`${target} exists already; a backup goes into a new file.`);
      // In one step: SQLite begins anew whenever another process writes between two, and beside a busy server never ends.
      await backup(reader, target, { rate: everyPage }).catch(async (error: unknown) => {
        await rm(target, { force: true });
        throw translate(error);
      });
      return (await stat(target)).size;
    },
    async size() {
      // The log holds what is not yet in the file.
      const log = await stat(`${file}-wal`).catch(() => ({ size: 0 }));
      return (await stat(file)).size + log.size;
    },
    async [Symbol.asyncDispose]() {
      await read.destroy();
      await write.destroy();
      reader.close();
      writer.close();
    },
  };
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

function open(file: string, clock: Clock, { readOnly }: { readOnly: boolean }): DatabaseSync {
  try {
    const database = new DatabaseSync(file, { timeout: busyTimeoutMs });
    database.function('now_ms', { directOnly: true }, () => Math.trunc(clock.nowMs()));
    if (readOnly) database.exec('pragma query_only = on');
    else setJournal(database);
    database.exec('pragma foreign_keys = on');
    return database;
  } catch (error) {
    throw translate(error, file);
  }
}

function setJournal(database: DatabaseSync): void {
  // Two processes that start on a new file at once both want to switch the journal; one waits its turn.
  database.exec('pragma busy_timeout = 5000');
  database.exec('pragma journal_mode = wal');
  database.exec(`pragma synchronous = full; pragma wal_autocheckpoint = ${checkpointPages}`);
  database.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
}

function kysely(driver: Driver): Kysely<Schema> {
  return new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
    plugins: [new MicrosPlugin()],
  });
}

/** One connection that transactions take in turn, or that reads share. */
class SingleConnectionDriver implements Driver {
  #connection: SqliteConnection;
  #use: 'reads' | 'transactions';
  #tail: Promise<void> = Promise.resolve();
  #release: () => void = () => {};

  constructor(connection: SqliteConnection, use: 'reads' | 'transactions') {
    this.#connection = connection;
    this.#use = use;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#use === 'reads') {
      transactionGuard.assertOutside();
      return this.#connection; // which translates its errors: no transaction does it for a read
    }
    const before = this.#tail;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tail = promise;
    await before;
    this.#release = resolve;
    return this.#connection;
  }

  /** `immediate`: a transaction that only later turns into a writer fails at once when another process writes. */
  async beginTransaction(): Promise<void> {
    const begin = CompiledQuery.raw('begin immediate');
    for (const deadline = Date.now() + lockPatienceMs; ; ) {
      try {
        await this.#connection.executeQuery(begin);
        return;
      } catch (error) {
        if (!isBusy(error) || Date.now() > deadline) throw error;
        await sleep(busyRetryMs);
      }
    }
  }

  async commitTransaction(): Promise<void> {
    await this.#connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(): Promise<void> {
    // A full disk or a failed write may have rolled back already.
    if (this.#connection.inTransaction) await this.#connection.executeQuery(CompiledQuery.raw('rollback'));
  }

  async releaseConnection(): Promise<void> {
    if (this.#use === 'transactions') this.#release();
  }

  async destroy(): Promise<void> {}
}

class SqliteConnection implements DatabaseConnection {
  #database: DatabaseSync;
  #statements = new Map<string, { statement: StatementSync; returnsRows: boolean }>();

  #translate: (error: unknown) => unknown;

  constructor(database: DatabaseSync, translate: (error: unknown) => unknown) {
    this.#database = database;
    this.#translate = translate;
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      const { statement, returnsRows } = this.#prepare(sql);
      const values = parameters as SQLInputValue[]; // Kysely gives back what our typed queries put in
      if (returnsRows) return { rows: statement.all(...values) as Row[] };
      const { changes, lastInsertRowid } = statement.run(...values);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    } catch (error) {
      throw this.#translate(error);
    }
  }

  // biome-ignore lint/correctness/useYield: the contract demands it and nothing streams
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Streaming is not supported: read in pages.');
  }

  #prepare(sql: string): { statement: StatementSync; returnsRows: boolean } {
    const known = this.#statements.get(sql);
    if (known) return known;
    if (this.#statements.size >= maxStatements) this.#statements.clear();
    const statement = this.#database.prepare(sql);
    const prepared = { statement, returnsRows: statement.columns().length > 0 };
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

const sqliteCodes = {
  busy: 5,
  locked: 6,
  readonly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  notADatabase: 26,
};

function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  return error.errcode & 0xff; // the low byte is the primary code, the rest says which kind of it
}

function isBusy(error: unknown): boolean {
  const code = codeOf(error);
  return code === sqliteCodes.busy || code === sqliteCodes.locked;
}

function translate(error: unknown, file = 'the database file'): unknown {
  switch (codeOf(error)) {
    case sqliteCodes.busy:
    case sqliteCodes.locked:
      return new DatabaseUnavailable('Another process keeps the database locked.', { cause: error });
    case sqliteCodes.full:
      return new DatabaseUnavailable('The disk with the database is full.', { cause: error });
    case sqliteCodes.readonly:
      return new DatabaseUnavailable('The database cannot be written.', { cause: error });
    case sqliteCodes.io:
      return new DatabaseUnavailable('Reading or writing the database failed.', { cause: error });
    case sqliteCodes.cantOpen:
      return new DatabaseRefused(`Cannot open ${file}: check that its folder exists and may be written.`, {
        cause: error,
      });
    case sqliteCodes.corrupt:
    case sqliteCodes.notADatabase:
      return new DatabaseRefused(`${file} is not a usable SQLite database.`, { cause: error });
    default:
      return error;
  }
}
