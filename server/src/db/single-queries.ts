import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Database } from './database.ts';

/**
 * A Kysely for libraries that bring their own queries: reads go to the root handle, every write is a transaction of its
 * own, so that the rules of this folder hold for them too. Transactions over several queries are refused.
 */
export function singleQueries<Tables>(database: Database): Kysely<Tables> {
  const isPostgres = database.kind === 'postgres';
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => (isPostgres ? new PostgresAdapter() : new SqliteAdapter()),
      createDriver: () => new SingleQueryDriver(database),
      createIntrospector: (db) => (isPostgres ? new PostgresIntrospector(db) : new SqliteIntrospector(db)),
      createQueryCompiler: () => (isPostgres ? new PostgresQueryCompiler() : new SqliteQueryCompiler()),
    },
  });
}

class SingleQueryDriver implements Driver {
  #connection: SingleQueryConnection;

  constructor(database: Database) {
    this.#connection = new SingleQueryConnection(database);
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}

  beginTransaction = refuse;
  commitTransaction = refuse;
  rollbackTransaction = refuse;
}

class SingleQueryConnection implements DatabaseConnection {
  #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  executeQuery<Row>(compiled: CompiledQuery): Promise<QueryResult<Row>> {
    const query = compiled as CompiledQuery<Row>; // the driver's contract leaves the type of rows to its caller
    if (SelectQueryNode.is(query.query)) return this.#database.read.executeQuery(query);
    return this.#database.transaction((tx) => tx.executeQuery(query));
  }

  // biome-ignore lint/correctness/useYield: the contract demands it and nothing streams
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Streaming is not supported: read in pages.');
  }
}

async function refuse(): Promise<void> {
  throw new Error('These queries are transactions of their own.');
}
