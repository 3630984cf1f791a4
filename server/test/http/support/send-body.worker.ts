import { parentPort } from 'node:worker_threads';
import { openRawClient } from './raw-client.ts';

/** A body by its parts, so that it is made where it is sent. */
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

// A thread of its own: what it does is not the server's.
parentPort?.on('message', async (request: BodyToSend) => parentPort?.postMessage(await send(request)));

async function send({ url, method, path, headers, body }: BodyToSend): Promise<number> {
  const { head, repeat, times, tail } = body;
  const bytes = Buffer.from(head + repeat.repeat(times) + tail, 'latin1');
  using client = await openRawClient(url);
  const all = { host: 'localhost', ...headers, 'content-length': `${bytes.length}` };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  client.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const answered = client.next();
  const over = Promise.race([answered, client.closed]);
  let isOver = false;
  over.then(() => {
    isOver = true;
  });
  for (let at = 0; at < bytes.length && !isOver; at += pieceBytes) {
    client.write(bytes.subarray(at, at + pieceBytes));
    if (client.socket.writableNeedDrain)
      await Promise.race([new Promise((resolve) => client.socket.once('drain', resolve)), over]);
  }
  return (await answered)?.status ?? 0;
}
