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

/** Query handles that pipeline queries made at the same time. Kysely's transactions would wait for each answer. */
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

  reads(provideConnection: ConnectionProvider['provideConnection']): Queries {
    return new Kysely<Schema>(
      this.#props((use) => {
        transactionGuard.assertOutside();
        return provideConnection(use);
      }),
    );
  }

  /** Runs `work` on a connection on which the caller has begun a transaction. The handle is invalid afterwards. */
  async transaction<T>(connection: DatabaseConnection, work: (tx: Tx) => Promise<T>): Promise<T> {
    let over = false;
    const tx = new Transaction<Schema>(
      this.#props(async (use) => {
        if (over)
          throw new Error(
            'This query came after the end of its transaction: await it before the transaction ends.',
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
