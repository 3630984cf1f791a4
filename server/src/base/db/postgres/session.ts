import pg from 'pg';

/** A separate connection for changing the schema. Its statements may take hours and run outside transactions. */
export interface Session extends AsyncDisposable {
  /** Runs one statement, or several without values, which are one transaction unless they begin their own. */
  run<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  transaction<T>(work: () => Promise<T>): Promise<T>;
}

/** Opens a connection without the pool's settings and time limits, except those in the address. */
export async function openSession(config: pg.ClientConfig): Promise<Session> {
  const client = new pg.Client({ ...config, query_timeout: 0, keepAlive: true });
  client.on('error', () => {}); // the query in progress fails as well
  await client.connect();
  await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0');
  const run = async (text: string, values?: unknown[]) => (await client.query(text, values)).rows;
  return {
    run,
    async transaction(work) {
      await run('begin');
      try {
        const result = await work();
        await run('commit');
        return result;
      } catch (error) {
        await run('rollback').catch(() => {}); // a broken connection has none
        throw error;
      }
    },
    [Symbol.asyncDispose]: () => client.end().catch(() => {}),
  };
}
