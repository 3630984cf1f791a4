import pg from 'pg';

// Above what any server here takes.
const most = 500;

/** All connections that a PostgreSQL server still has, until it is disposed of. */
export async function takeConnections(
  connectionString: string,
): Promise<AsyncDisposable & { taken: number }> {
  const clients: pg.Client[] = [];
  while (clients.length < most) {
    const client = new pg.Client({ connectionString });
    client.on('error', () => {}); // of a server that ends meanwhile
    try {
      await client.connect();
    } catch {
      break;
    }
    clients.push(client);
  }
  return {
    taken: clients.length,
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(clients.map((client) => client.end()));
    },
  };
}
