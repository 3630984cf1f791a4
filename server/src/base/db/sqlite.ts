import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync } from 'node:fs';
import { link, rename, rm, stat } from 'node:fs/promises';
import { type CompiledQuery, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Meter } from '../metrics/meter.ts';
import type { Clock } from '../std/clock.ts';
import {
  type Database,
  DatabaseFull,
  DatabaseRefused,
  type RunTransaction,
  transactionGuard,
} from './database.ts';
import { connectionOf, Handles } from './queries.ts';
import { createQueryTimes } from './query-times.ts';
import type { Tx } from './schema.ts';
import { shareReads } from './share-reads.ts';
import { SqliteConnection, type Statements } from './sqlite/connection.ts';
import { cannotOpen, translate } from './sqlite/errors.ts';
import { copyRows, overwriteDeleted } from './sqlite/files.ts';
import { SqliteWriter, type TransactionKind } from './sqlite/writer.ts';

/** Opens or creates a database file, shared safely with other processes on this machine. */
export async function openSqlite(file: string, clock: Clock, meter: Meter): Promise<Database> {
  const times = createQueryTimes(meter);
  const { writer, reader } = open(file, clock);
  const handles = new Handles({
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  });
  const reads = connectionOf(async <Row>(query: CompiledQuery) => {
    try {
      const found = reader.run<Row>(query);
      // The answer must wait until a power cut can no longer undo the commit.
      await writer.synced;
      return found;
    } catch (error) {
      throw translate(error);
    }
  });
  const read = handles.reads((use) => times.time('read', () => use(reads)));
  const process = randomUUID();
  const parts = { writer, handles, times };

  return {
    kind: 'sqlite',
    servers: [],
    read,
    reports: read,
    revision: shareReads(() => times.time('read', async () => readRevision(reader))),
    transaction: transactions({ ...parts, kind: 'usual' }),
    longTransaction: transactions({ ...parts, kind: 'long' }),
    looseTransaction: transactions({ ...parts, kind: 'loose' }),
    // No other process listens, because one process runs all jobs of a file. Changes by commands are found by polling.
    notify: () => {},
    listen: () => () => {},
    isElected: async () => true,
    process,
    isRunning: async (other) => other === process,
    replicaLag: async () => undefined,
    openSession: () =>
      Promise.reject(new Error('SQLite has one writer, whose transactions change the schema.')),
    async backup(target) {
      const refused = new DatabaseRefused(`${target} exists already; a backup goes into a new file.`);
      if (existsSync(target)) throw refused;
      // SQLite opens an empty or partial file as an empty database, so the copy gets its name when it is whole.
      const partial = `${target}.${randomUUID().slice(0, 8)}.partial`;
      makeFile(partial, target);
      try {
        // A single statement reads one consistent state, and unlike a copy of pages leaves out deleted rows.
        await copyRows(file, partial);
        if (!(await nameFile(partial, target))) throw refused;
      } catch (error) {
        await rm(partial, { force: true });
        const found = translate(error);
        throw found instanceof DatabaseFull ? new DatabaseFull(`The disk of ${target} is full.`) : found;
      }
      return (await stat(target)).size;
    },
    overwriteDeleted: () =>
      overwriteDeleted(file).catch((error: unknown) => {
        throw translate(error);
      }),
    async size() {
      // The size includes the write-ahead log, whose data is not yet in the file.
      const log = await stat(`${file}-wal`).catch(() => ({ size: 0 }));
      return (await stat(file)).size + log.size;
    },
    async [Symbol.asyncDispose]() {
      reader[Symbol.dispose]();
      await writer[Symbol.asyncDispose]();
    },
  };
}

/** The value counts commits of all other connections, which include this process's own writer. */
function readRevision(reader: SqliteConnection): string {
  const { rows } = reader.run<{ data_version: number }>({ sql: 'pragma data_version', parameters: [] });
  return String(rows[0]?.data_version);
}

function transactions({ writer, handles, times, kind }: TransactionParts): RunTransaction {
  return async <T, U>(work: (tx: Tx) => Promise<T>, last?: (tx: Tx, found: T) => Promise<U>) => {
    transactionGuard.assertOutside();
    const all = async (tx: Tx) => {
      const found = await work(tx);
      return last ? last(tx, found) : found;
    };
    const run = (on: Statements) =>
      handles.transaction<T | U>(
        connectionOf(async (query) => on.run(query)),
        all,
      );
    try {
      return await times.time('transaction', () => writer.transaction(run, kind));
    } catch (error) {
      throw translate(error);
    }
  };
}

interface TransactionParts {
  writer: SqliteWriter;
  handles: Handles;
  times: ReturnType<typeof createQueryTimes>;
  kind: TransactionKind;
}

function open(file: string, clock: Clock): { writer: SqliteWriter; reader: SqliteConnection } {
  try {
    makeFile(file);
    const writer = new SqliteWriter(file, clock);
    return { writer, reader: new SqliteConnection(file, { nowMs: () => clock.nowMs(), readOnly: true }) };
  } catch (error) {
    throw translate(error, file);
  }
}

/** Renames a file, but not over another: returns false if the name is taken. */
async function nameFile(file: string, name: string): Promise<boolean> {
  const isLinked = await link(file, name).then(
    () => true,
    () => false,
  );
  if (isLinked) await rm(file);
  else if (existsSync(name)) return false;
  else await rename(file, name); // some file systems have no links
  return true;
}

/** Creates the file for its owner only. Does not open an existing file: closing that would release our locks. */
function makeFile(file: string, called = file): boolean {
  try {
    closeSync(openSync(file, 'wx', 0o600));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw cannotOpen(called, error);
  }
}
