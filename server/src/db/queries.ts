import {
  type CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  DummyDriver,
  Kysely,
  type QueryResult,
  Transaction,
} from 'kysely';
import { transactionGuard } from './database.ts';
import { MicrosPlugin } from './micros-plugin.ts';
import type { Queries, Schema, Tx } from './schema.ts';

/**
 * Builds query handles over connections of ours. Kysely's own transactions wait for each query before they send the
 * next; ours let queries that are made together travel together, in the order they were made.
 */
export class Handles {
  #dialect: Dialect;
  #executor: DefaultQueryExecutor;

  constructor(dialect: Omit<Dialect, 'createDriver'>) {
    this.#dialect = { ...dialect, createDriver: () => new DummyDriver() };
    this.#executor = new DefaultQueryExecutor(
      dialect.createQueryCompiler(),
      dialect.createAdapter(),
      { provideConnection: () => Promise.reject(new Error('These queries have no connection.')) },
      [new MicrosPlugin()],
    );
  }

  /** For queries that each take a connection of their own; none of them inside a transaction. */
  reads(provideConnection: ConnectionProvider['provideConnection']): Queries {
    return new Kysely<Schema>(
      this.#props((use) => {
        transactionGuard.assertOutside();
        return provideConnection(use);
      }),
    );
  }

  /** Runs `work` on a connection on which the caller has begun a transaction. Its handle is of no use afterwards. */
  async transaction<T>(connection: DatabaseConnection, work: (tx: Tx) => Promise<T>): Promise<T> {
    let over = false;
    const tx = new Transaction<Schema>(
      this.#props(async (use) => {
        if (over)
          throw new Error(
            'A query in a transaction that has ended: wait for it before the transaction ends.',
          );
        return use(connection);
      }),
    );
    try {
      return await transactionGuard.run(() => work(tx));
    } finally {
      over = true;
    }
  }

  #props(provideConnection: ConnectionProvider['provideConnection']) {
    return {
      config: { dialect: this.#dialect },
      dialect: this.#dialect,
      driver: new DummyDriver(),
      executor: this.#executor.withConnectionProvider({ provideConnection }),
    };
  }
}

/** A connection for Kysely that runs queries like this. */
export function connectionOf(
  executeQuery: <Row>(query: CompiledQuery) => Promise<QueryResult<Row>>,
): DatabaseConnection {
  return {
    executeQuery,
    streamQuery() {
      throw new Error('Streaming is not supported: read in pages.');
    },
  };
}
