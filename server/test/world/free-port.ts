import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

// Below the ports that the system assigns, so that no test gets the port of a server that is about to start or
// restart, or that of a database, which the guard closes to other servers' URLs on this whole machine.
const firstPort = 20_000;
const lanes = 10;
/** The number of ports of each concurrent test process. */
const ports = 1_200;

/** The first of this many consecutive ports that were free a moment ago. */
export async function freePort(inARow = 1): Promise<number> {
  const lane = Number(process.env.TEST_LANE ?? randomInt(lanes)) % lanes;
  for (;;) {
    const first = firstPort + lane * ports + randomInt(ports - inARow);
    const servers = Array.from({ length: inARow }, (_, index) =>
      createServer().listen(first + index, '127.0.0.1'),
    );
    const tried = await Promise.allSettled(servers.map((server) => once(server, 'listening')));
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    if (tried.every(({ status }) => status === 'fulfilled')) return first;
  }
}
