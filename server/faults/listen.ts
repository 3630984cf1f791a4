import { once } from 'node:events';
import { createServer as createTcpServer, type Server } from 'node:net';

/** Starts to listen on loopback, on a free port unless one is given; resolves to the address. */
export async function listen(server: Server, port = 0): Promise<string> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${portOf(server)}`;
}

export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return address.port;
}

/** A port that was free a moment ago, for a process that must come back at the same address. */
export async function freePort(): Promise<number> {
  const server = createTcpServer();
  await listen(server);
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}
