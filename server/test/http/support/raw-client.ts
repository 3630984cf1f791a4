import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawReply {
  status: number;
  /** Names in lower case. */
  headers: Map<string, string>;
  body: string;
}

export interface RawClient extends Disposable {
  socket: Socket;
  write(text: string | Uint8Array): void;
  /** The next whole answer; undefined if the server closed the connection first. */
  next(): Promise<RawReply | undefined>;
  head(): Promise<Omit<RawReply, 'body'>>;
  closed: Promise<void>;
}

export async function openRawClient(url: string): Promise<RawClient> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  let received = '';
  let wake = () => {};
  let open = true;
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => {
    received += text;
    wake();
  });
  // The server may reset the connection of a client that misbehaves.
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      open = false;
      resolve();
      wake();
    });
  });

  /** Returns what `take` finds in the received text; undefined if the server closed the connection first. */
  async function until<Found>(take: (text: string) => Found | undefined): Promise<Found | undefined> {
    for (;;) {
      const found = take(received);
      if (found || !open) return found;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  return {
    socket,
    closed,
    write(text) {
      if (socket.writable) socket.write(text);
    },
    async next() {
      const cut = await until(takeReply);
      if (cut) received = cut.rest;
      return cut?.reply;
    },
    async head() {
      const head = await until(readHead);
      if (!head) throw new Error('there was no answer');
      return head;
    },
    [Symbol.dispose]: () => {
      socket.destroy();
    },
  };
}

/** The text of a request below `/api/v1`, with a JSON body and its length if there is one. */
export function rawRequest(
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: string } = {},
): string {
  const all = {
    host: 'localhost',
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`;
}

function takeReply(received: string): { reply: RawReply; rest: string } | undefined {
  const head = readHead(received);
  if (!head) return undefined;
  const { status, headers, length } = head;
  const end = length + Number(headers.get('content-length') ?? 0);
  if (received.length < end) return undefined;
  return { reply: { status, headers, body: received.slice(length, end) }, rest: received.slice(end) };
}

function readHead(received: string) {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = received.slice(0, headEnd).split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, length: headEnd + 4 };
}
