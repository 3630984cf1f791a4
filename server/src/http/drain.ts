import type { FastifyInstance } from 'fastify';

/**
 * Makes `drain` for a server: stops listening, lets requests under way finish for at most `patienceMs`, then closes
 * every connection. Waiting for connections instead would take as long as clients keep idle ones open.
 */
export function trackRequests(server: FastifyInstance): (patienceMs: number) => Promise<void> {
  let underWay = 0;
  let onIdle: () => void = () => {};
  server.addHook('onRequest', async () => {
    underWay += 1;
  });
  const end = async () => {
    underWay -= 1;
    if (underWay === 0) onIdle();
  };
  server.addHook('onResponse', end);

  return async (patienceMs) => {
    const closed = server.close();
    const idle = new Promise<void>((resolve) => {
      onIdle = resolve;
      setTimeout(resolve, patienceMs).unref();
    });
    if (underWay > 0) await idle;
    server.server.closeAllConnections();
    await closed;
  };
}
