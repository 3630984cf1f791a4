import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import pg from 'pg';

/** A network between clients and a PostgreSQL server that loses connections for one side first. */
export async function startNetwork(url: string) {
  const { host, port } = new pg.Client({ connectionString: url });
  const ways: [client: Socket, server: Socket][] = [];
  const kept: Socket[] = [];
  const proxy = createServer((client) => {
    const server = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    for (const socket of [client, server]) socket.on('error', () => {});
    client.pipe(server, { end: false });
    server.pipe(client);
    ways.push([client, server]);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const through = new URL(url);
  through.searchParams.delete('host');
  through.host = `127.0.0.1:${address.port}`;
  return {
    url: through.href,
    /** The server does not notice. */
    breakForClients() {
      for (const [client, server] of ways.splice(0)) {
        client.unpipe(server);
        server.unpipe(client);
        client.resetAndDestroy();
        kept.push(server);
      }
    },
    breakForServer() {
      for (const server of kept.splice(0)) server.destroy();
    },
    [Symbol.dispose]() {
      for (const socket of [...kept, ...ways.flat()]) socket.destroy();
      proxy.close();
    },
  };
}
