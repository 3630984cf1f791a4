import { parentPort } from 'node:worker_threads';
import { openRawClient } from './raw-client.ts';

/** A large body, described by its parts: it is built only where it is sent. */
export interface LargeBody {
  head: string;
  repeat: string;
  times: number;
  tail: string;
}

export interface BodyToSend {
  url: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: LargeBody;
}

const pieceBytes = 65_536;

// Runs in a thread, so that its work does not count as the server's.
parentPort?.on('message', async (request: BodyToSend) => parentPort?.postMessage(await send(request)));

async function send({ url, method, path, headers, body }: BodyToSend): Promise<number> {
  using client = await openRawClient(url);
  const all = { host: 'localhost', ...headers, 'content-length': `${lengthOf(body)}` };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  client.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const answered = client.next();
  const over = Promise.race([answered, client.closed]);
  let isOver = false;
  over.then(() => {
    isOver = true;
  });
  for (const piece of piecesOf(body)) {
    if (isOver) break;
    client.write(piece);
    if (client.socket.writableNeedDrain)
      await Promise.race([new Promise((resolve) => client.socket.once('drain', resolve)), over]);
  }
  return (await answered)?.status ?? 0;
}

function lengthOf({ head, repeat, times, tail }: LargeBody): number {
  return head.length + repeat.length * times + tail.length;
}

/** Yields the body in pieces: building it whole takes longer than sending it. */
function* piecesOf({ head, repeat, times, tail }: LargeBody): Generator<Buffer> {
  const each = Math.max(1, Math.floor(pieceBytes / (repeat.length || 1)));
  const piece = Buffer.from(repeat.repeat(each), 'latin1');
  yield Buffer.from(head, 'latin1');
  for (let left = times; left > 0; left -= each) yield piece.subarray(0, left * repeat.length);
  yield Buffer.from(tail, 'latin1');
}
