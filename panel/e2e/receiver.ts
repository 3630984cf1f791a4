import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Receiver = Awaited<ReturnType<typeof openReceiver>>;

export async function openReceiver() {
  const bodies: string[] = [];
  const ids: unknown[] = [];
  const state = { status: 204 };
  const server = createServer(async (request, response) => {
    bodies.push(Buffer.concat(await request.toArray()).toString());
    ids.push(request.headers['webhook-id']);
    response.writeHead(state.status).end();
    server.emit('taken');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server has an address
  return {
    url: `http://127.0.0.1:${port}/hook`,
    bodies,
    ids,
    set status(status: number) {
      state.status = status;
    },
    async count(wanted: number) {
      while (bodies.length < wanted) await once(server, 'taken');
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
