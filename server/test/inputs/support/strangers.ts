import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import { listenApart } from '../../world/listen-apart.ts';

/** Public for the tests' guard, which opens only this part of 127.0.0.0/8. All of 127.0.0.0/8 is this machine. */
export const strangerNetwork = '127.10.0.0/16';
export const strangerAddress = '127.10.0.1';

export interface Stranger extends AsyncDisposable {
  port: number;
  origin: string;
  server: Server;
}

export function startStranger(listener: RequestListener, address = strangerAddress): Promise<Stranger> {
  return listen(createHttpServer(listener), address, 'http');
}

export function startSecureStranger(tls: ServerOptions, listener: RequestListener): Promise<Stranger> {
  return listen(createHttpsServer(tls, listener), strangerAddress, 'https');
}

export function startRawStranger(answer: (socket: Socket) => void): Promise<Stranger> {
  return listen(
    createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => answer(socket));
    }),
    strangerAddress,
    'http',
  );
}

async function listen(server: Server, address: string, scheme: string): Promise<Stranger> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const port = await listenApart(server, address);
  return {
    port,
    server,
    origin: `${scheme}://${address}:${port}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

export const responseHead = (headers: string) => `HTTP/1.1 200 OK\r\n${headers}\r\n`;
