import { setTimeout as sleep } from 'node:timers/promises';
import { openRawClient } from '../test/http/support/raw-client.ts';
import type { Call } from './calls.ts';
import { refusalOf } from './expect.ts';
import { addressOf } from './fill.ts';
import type { Report } from './report.ts';
import type { Target } from './target.ts';

// A request sends one byte per second. The server waits half a minute for a whole body, and longer only for files that
// arrive steadily.
const everyMs = 1_000;
const patienceMs = 60_000;

/** Sends a very slow body to all calls simultaneously. The server must end each request, with or without an answer. */
export async function sendSlowly(target: Target, report: Report): Promise<void> {
  const calls = target.calls.filter(({ reads }) => !reads);
  await Promise.all(calls.map((call) => drip(target, report, call)));
}

async function drip(target: Target, report: Report, call: Call): Promise<void> {
  const caller = [...target.cast.callers.values()].find((one) => !refusalOf(call, one));
  if (!caller) return;
  report.tried(call, 'bodies');
  const { account_id = '', account = '' } = caller.ids;
  const path = addressOf(call, { account_id, account, model: 'nb2', call: 'nb2:generateContent' });
  const type = call.url.endsWith('/uploads') ? 'image/png' : 'application/json';
  const all = { host: 'localhost', 'content-type': type, 'content-length': '200', ...caller.headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  using client = await openRawClient(target.url);
  client.write(`${call.method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n{`);
  const ended = client.closed.then(() => 'ended' as const);
  const deadline = performance.now() + patienceMs;
  while (performance.now() < deadline) {
    if ((await Promise.race([ended, sleep(everyMs)])) === 'ended') return;
    client.write(' ');
  }
  report.wrong(`waits longer than ${patienceMs / 1_000} s for a body that hardly arrives`, call, caller.name);
}
