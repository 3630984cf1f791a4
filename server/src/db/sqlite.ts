import { closeSync, openSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { backup } from 'node:sqlite';
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Clock } from '../std/clock.ts';
import { type Database, DatabaseRefused, transactionGuard } from './database.ts';
import { connectionOf, Handles } from './queries.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { cannotOpen, translate } from './sqlite-errors.ts';
import { SqliteWriter } from './sqlite-writer.ts';

// The largest number of pages that a backup's step takes.
const everyPage = 2_147_483_647;

/** Opens (or creates) one database file, shared safely with other processes on this machine. */
export async function openSqlite(file: string, clock: Clock): Promise<Database> {
  const { writer, reader } = open(file, clock);
  const handles = new Handles({
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  });
  const reads = connectionOf(async (query) => {
    try {
      return reader.run(query);
    } catch (error) {
      throw translate(error);
    }
  });
  const writes = connectionOf(async (query) => writer.run(query));

  return {
    kind: 'sqlite',
    server: null,
    read: handles.reads((use) => use(reads)),
    async transaction(work) {
      transactionGuard.assertOutside();
      try {
        return await writer.transaction(() => handles.transaction(writes, work));
      } catch (error) {
        throw translate(error);
      }
    },
    // One process runs the jobs of a file, so there is nobody else to wake; the poll covers the commands beside it.
    notify: () => {},
    listen: () => () => {},
    async backup(target) {
      if (!makeFile(target))
        throw new DatabaseRefused(`${target} exists already; a backup goes into a new file.`);
      // In one step: SQLite begins anew whenever another process writes between two, and beside a busy server never ends.
      await backup(reader.database, target, { rate: everyPage }).catch(async (error: unknown) => {
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
      reader[Symbol.dispose]();
      writer[Symbol.dispose]();
    },
  };
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

/**
 * For nobody else to read; SQLite gives its log the rights of the file, and would write over one that is there. False for
 * a file that exists, which is not touched: closing it would release the locks that this process has on it.
 */
function makeFile(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx', 0o600));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw cannotOpen(file, error);
  }
}
