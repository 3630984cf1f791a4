import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:net';

// Below the ports that the system assigns, and those of databases (`free-port.ts`): the guard closes the ports of a
// server and its database to other servers' URLs on this whole machine, so a foreign server must not use one of them.
const firstPort = 10_000;
const ports = 10_000;

/** Makes a server that plays a foreign one listen at this address, on a port that no server under test has. */
export async function listenApart(server: Server, address: string): Promise<number> {
  for (;;) {
    const port = firstPort + randomInt(ports);
    server.listen(port, address);
    try {
      await once(server, 'listening');
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error; // `listen` errors have a code
    }
  }
}
