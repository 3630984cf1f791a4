import pg from 'pg';

// More connections than any server here allows.
const most = 500;

export async function takeConnections(
  connectionString: string,
): Promise<AsyncDisposable & { taken: number }> {
  const clients: pg.Client[] = [];
  while (clients.length < most) {
    const client = new pg.Client({ connectionString });
    client.on('error', () => {}); // the error when the server ends meanwhile
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
