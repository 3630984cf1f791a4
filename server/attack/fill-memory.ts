import { setTimeout as sleep } from 'node:timers/promises';
import { openRawClient, type RawClient } from '../test/http/support/raw-client.ts';
import type { Caller } from './callers.ts';
import type { Call } from './calls.ts';
import { refusalOf } from './expect.ts';
import { addressOf } from './fill.ts';
import type { Report } from './report.ts';
import type { Target } from './target.ts';

const megabyte = 1024 * 1024;
/** Sizes just below the calls' limits, each with the number of bodies that fill the memory for all bodies. */
const fillings = [
  { bytes: 15 * megabyte, times: 9 },
  { bytes: 39 * megabyte, times: 4 },
  { bytes: 57 * megabyte, times: 3 },
];
const pieceBytes = 256 * 1024;
const answerMs = 20_000;

export async function fillMemory(
  target: Target,
  report: Report,
  onProgress: (line: string) => void,
): Promise<void> {
  for (const call of target.calls.filter(({ reads }) => !reads)) {
    const caller = [...target.cast.callers.values()].find((one) => !refusalOf(call, one));
    if (!caller) continue;
    const began = performance.now();
    for (const filling of fillings) await fill(target, report, { call, caller, ...filling });
    await target.look();
    const ms = Math.round(performance.now() - began);
    if (ms > 1_000) onProgress(`${call.name}: memory filled in ${ms} ms`);
  }
}

async function fill(
  target: Target,
  report: Report,
  { call, caller, bytes, times }: { call: Call; caller: Caller; bytes: number; times: number },
): Promise<void> {
  const clients = await Promise.all(Array.from({ length: times }, () => openRawClient(target.url))).catch(
    () => [],
  );
  await Promise.all(clients.map((client) => sendMost(client, headOf(call, caller, bytes), bytes)));
  report.tried(call, 'bodies');
  // Other requests must be answered while the server holds all these bodies.
  const other = await fetch(`${target.url}/livez`, { signal: AbortSignal.timeout(answerMs) }).catch(
    () => undefined,
  );
  if (other?.status !== 200)
    report.wrong(`leaves others without an answer while ${times} bodies arrive`, call);
  for (const client of clients) client[Symbol.dispose]();
}

async function sendMost(client: RawClient, head: string, bytes: number): Promise<void> {
  client.write(head);
  let answered = false;
  const answer = client.next().then(() => {
    answered = true;
  });
  // Most calls refuse so long a body as soon as the headers announce it.
  await Promise.race([answer, sleep(50)]);
  const piece = Buffer.alloc(pieceBytes, '"",');
  for (let sent = 0; !answered && sent < bytes - 1; sent += pieceBytes) {
    client.write(piece.subarray(0, Math.min(pieceBytes, bytes - 1 - sent)));
    if (client.socket.writableNeedDrain)
      await Promise.race([new Promise((resolve) => client.socket.once('drain', resolve)), answer]);
  }
}

function headOf(call: Call, { headers, ids }: Caller, bytes: number): string {
  const { account_id = '', account = '' } = ids;
  const path = addressOf(call, { account_id, account, model: 'nb2', call: 'nb2:generateContent' });
  const all = {
    host: 'localhost',
    'content-type': typeFor(call),
    'content-length': String(bytes),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${call.method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

function typeFor({ url }: Call): string {
  return url.endsWith('/uploads') ? 'image/png' : 'application/json';
}
