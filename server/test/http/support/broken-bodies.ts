import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRawClient, type RawClient, type RawReply } from './raw-client.ts';

export type Framing = 'chunked' | 'with length';
export const framings: readonly Framing[] = ['chunked', 'with length'];

/** The fault of a body: it never ends, or it ends too early, by a close or by a reset. */
export type BodyFault = 'too long' | `${'closed' | 'reset'} at ${'0' | '1' | 'n-1'}`;
export const bodyFaults: readonly BodyFault[] = [
  'too long',
  ...(['closed', 'reset'] as const).flatMap((how) =>
    (['0', '1', 'n-1'] as const).map((where) => `${how} at ${where}` as const),
  ),
];

/** The whole body is `head + tail`; one that is too long repeats `grows` after the head. */
export interface SampleBody {
  type: string;
  head: string;
  grows: string;
  tail: string;
}

const photo = '\x89PNG\r\n\x1a\n';

export const sampleBodies: readonly SampleBody[] = [
  { type: 'application/json', head: '{"prompt": "a fox', grows: 'x', tail: '"}' },
  {
    type: 'application/jsonl',
    head: '{"model": "nb2", "mode": "text", "body": {"prompt": "a fox',
    grows: 'x',
    tail: '"}}\n',
  },
  { type: 'application/x-www-form-urlencoded', head: 'grant_type=x', grows: 'x', tail: '&code=1' },
  { type: 'image/png', head: photo, grows: 'x', tail: 'x' },
  {
    type: 'multipart/form-data; boundary=frontier',
    head: `--frontier\r\ncontent-disposition: form-data; name="image"; filename="a.png"\r\n\r\n${photo}`,
    grows: 'x',
    tail: '\r\n--frontier--\r\n',
  },
];

/** Longer than any call takes. */
export const tooLongBytes = 72 * 1024 * 1024;
const pieceBytes = 64 * 1024;

export interface BrokenRequest extends SampleBody {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  framing: Framing;
  fault: BodyFault;
}

export interface Outcome {
  reply: RawReply | undefined;
  connection: 'closed' | 'usable' | 'stuck';
}

export async function sendBroken(url: string, request: BrokenRequest, patienceMs = 20_000): Promise<Outcome> {
  using client = await openRawClient(url);
  client.write(headOf(request));
  const answered = Promise.race([client.next(), sleep(patienceMs, 'late' as const, { ref: false })]);
  if (request.fault === 'too long') await growUntil(client, request, answered);
  else await breakOff(client, request);
  const reply = await answered;
  if (reply === 'late') return { reply: undefined, connection: 'stuck' };
  return { reply, connection: await afterwards(client, request, { reply, patienceMs }) };
}

function headOf({ method, path, headers, type, head, tail, framing, fault }: BrokenRequest): string {
  const length = fault === 'too long' ? tooLongBytes : head.length + tail.length;
  const all = {
    host: 'localhost',
    ...headers,
    'content-type': type,
    ...(framing === 'chunked' ? { 'transfer-encoding': 'chunked' } : { 'content-length': `${length}` }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

async function growUntil(
  client: RawClient,
  { head, grows, framing }: BrokenRequest,
  answered: Promise<unknown>,
): Promise<void> {
  let isOver = false;
  const over = Promise.race([answered, client.closed]).then(() => {
    isOver = true;
  });
  const piece = Buffer.from(grows.repeat(pieceBytes / grows.length), 'latin1');
  client.write(framed(Buffer.from(head, 'latin1'), framing));
  for (let sent = head.length; !isOver && sent + piece.length < tooLongBytes; sent += piece.length) {
    client.write(framed(piece, framing));
    if (client.socket.writableNeedDrain) await drained(client, over);
    else await new Promise(setImmediate);
  }
}

async function drained({ socket }: RawClient, over: Promise<void>): Promise<void> {
  const waiting = new AbortController();
  await Promise.race([once(socket, 'drain', { signal: waiting.signal }), over]).catch(() => {});
  waiting.abort();
}

async function breakOff(
  { socket, write }: RawClient,
  { head, tail, framing, fault }: BrokenRequest,
): Promise<void> {
  const [how, where] = fault.split(' at ');
  const whole = Buffer.from(head + tail, 'latin1');
  const part = whole.subarray(0, where === 'n-1' ? whole.length - 1 : Number(where));
  if (part.length > 0) write(framed(part, framing));
  if (how === 'closed') return void socket.end();
  // Waits until the bytes have been sent: a reset drops unsent ones.
  if (socket.writableLength > 0) await once(socket, 'drain').catch(() => {});
  socket.resetAndDestroy();
}

function framed(piece: Buffer, framing: Framing): Buffer {
  if (framing === 'with length') return piece;
  return Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
}

/**
 * Completes a body that can be completed and sends another request, unless the answer says that the connection closes.
 */
async function afterwards(
  client: RawClient,
  { fault, framing }: BrokenRequest,
  { reply, patienceMs }: { reply: RawReply | undefined; patienceMs: number },
): Promise<Outcome['connection']> {
  const late = sleep(patienceMs, 'stuck' as const, { ref: false });
  const closed = client.closed.then(() => 'closed' as const);
  if (!reply || fault !== 'too long' || reply.headers.get('connection') === 'close')
    return Promise.race([closed, late]);
  if (framing === 'with length') {
    client.socket.end();
    return Promise.race([closed, late]);
  }
  client.write('0\r\n\r\nGET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n');
  const next = client.next().then((again) => (again?.status === 200 ? ('usable' as const) : 'closed'));
  return Promise.race([next, late]);
}
