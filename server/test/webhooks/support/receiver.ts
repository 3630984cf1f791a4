import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { listenApart } from '../../world/listen-apart.ts';

export interface Received {
  method: string;
  path: string;
  headers: Record<string, string>;
  rawHeaders: string[];
  body: string;
  at: number;
}

type Answer = (response: ServerResponse, received: Received, nth: number) => void;

/** A server that receives webhooks. All of 127.0.0.0/8 is this machine; the tests' guard opens only 127.10.0.0/16. */
export interface Receiver extends AsyncDisposable {
  url: string;
  port: number;
  received: Received[];
  /** The answer from now on; 204 at first. */
  answer: Answer;
  got(count: number): Promise<Received[]>;
}

export const receiverAddress = '127.10.0.1';
export const receiverNetwork = '127.10.0.0/16';

export async function startReceiver({ address = receiverAddress, port: wanted = 0 } = {}): Promise<Receiver> {
  const waiting = new Set<{ count: number; resolve: () => void }>();
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    const received = await read(request);
    receiver.received.push(received);
    receiver.answer(response, received, receiver.received.length);
    for (const waiter of waiting) if (receiver.received.length >= waiter.count) waiter.resolve();
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  });
  const port = wanted || (await listenApart(server, address));
  if (wanted) await once(server.listen(wanted, address), 'listening');
  const receiver: Receiver = {
    url: `http://${address}:${port}/hook`,
    port,
    received: [],
    answer: answerWith(204),
    async got(count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const waiter = { count, resolve };
      waiting.add(waiter);
      if (receiver.received.length < count) await promise;
      waiting.delete(waiter);
      return receiver.received;
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return receiver;
}

export function answerWith(status: number, headers: Record<string, string> = {}, body = ''): Answer {
  return (response) => response.writeHead(status, headers).end(body);
}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = await Array.fromAsync(request);
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers as Record<string, string>, // the headers used here occur only once
    rawHeaders: request.rawHeaders,
    body: Buffer.concat(chunks).toString(),
    at: Date.now(),
  };
}
