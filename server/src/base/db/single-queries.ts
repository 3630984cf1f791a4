import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Database } from './database.ts';
import { connectionOf } from './queries.ts';

/** A Kysely instance for libraries. Each write is one transaction, and longer transactions are refused. */
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
  #connection: DatabaseConnection;

  constructor(database: Database) {
    this.#connection = connectionTo(database);
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

function connectionTo(database: Database): DatabaseConnection {
  return connectionOf(<Row>(compiled: CompiledQuery) => {
    const query = compiled as CompiledQuery<Row>; // the driver contract leaves the row type to the caller
    if (SelectQueryNode.is(query.query)) return database.read.executeQuery(query);
    return database.transaction((tx) => tx.executeQuery(query));
  });
}

async function refuse(): Promise<void> {
  throw new Error('These queries are transactions of their own.');
}
