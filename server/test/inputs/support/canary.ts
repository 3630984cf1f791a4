import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

export interface Canary extends AsyncDisposable {
  /** The port, the same on every address of this machine, IPv4 and IPv6. */
  port: number;
  hits(): number;
}

export async function startCanary(): Promise<Canary> {
  let hits = 0;
  const listen = async (host: string, port: number): Promise<Server> => {
    const server = createServer((socket) => {
      hits++;
      socket.destroy();
    });
    server.listen({ host, port, ipv6Only: host === '::' });
    await once(server, 'listening');
    return server;
  };
  const ipv4 = await listen('0.0.0.0', 0);
  const port = portOf(ipv4);
  const ipv6 = await listen('::', port).catch(() => undefined); // a machine without IPv6
  return {
    port,
    hits: () => hits,
    async [Symbol.asyncDispose]() {
      await Promise.all(
        [ipv4, ipv6].map((server) => server && new Promise((resolve) => server.close(resolve))),
      );
    },
  };
}

/** Counts every outgoing TCP socket of this process, even those that connect to nothing. */
export function countSockets(): Disposable & { count(): number } {
  let count = 0;
  const onSocket = () => {
    count++;
  };
  subscribe('net.client.socket', onSocket);
  return { count: () => count, [Symbol.dispose]: () => void unsubscribe('net.client.socket', onSocket) };
}

export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return address.port;
}
