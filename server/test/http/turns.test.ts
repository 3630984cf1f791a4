import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { on, once } from 'node:events';
import { after, type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { creditAccount } from '../../src/accounts/credit-account.ts';
import { maxRequests } from '../../src/jobs/admission/create-batch.ts';
import { tellLowBalances } from '../../src/notify/alerts/tell-low-balances.ts';
import { until } from '../faults/support/server.ts';
import { openWorld } from '../world/world.ts';
import { openCallers } from './support/callers.ts';
import { collectCalls, pathOf, type RegisteredCall, takesBody } from './support/registered-calls.ts';
import { bearer } from './support/requests.ts';
import type { BodyToSend, LargeBody } from './support/send-body.worker.ts';
import { doKnownWork, enoughMs, knownWorkMs, measureTurns, slowness } from './support/turns.ts';

/**
 * Measures the longest turn of the event loop for the most expensive bodies, at every call that accepts them. During
 * a turn, no other request is answered. The time is processor time of the server's thread, so that other processes
 * and the sender's thread do not count.
 */
using collected = collectCalls();
const world = await openWorld({ worker: false });
after(() => world[Symbol.asyncDispose]());
const callers = await openCallers(world);
const sender = new Worker(new URL('support/send-body.worker.ts', import.meta.url));
after(() => sender.terminate());

await creditAccount(
  { database: world.app.database, tellBalances: tellLowBalances },
  { account: world.accountId, amountMicros: 1_000_000_000_000n, reason: 'many batches' },
);

const tries = 6;
const newLine = 0x0a;
const kb = 1024;
const mb = 1024 * kb;

type Shape = (bytes: number) => LargeBody & { type: string };
const json = 'application/json';
const filled =
  (head: string, repeat: string, tail: string, type = json): Shape =>
  (bytes) => ({
    head,
    repeat,
    times: Math.floor((bytes - head.length - tail.length) / repeat.length),
    tail,
    type,
  });
const shapes: Record<string, Shape> = {
  'empty strings': filled('["",', '"",', '""]'),
  numbers: filled('{"prompt":[0,', '0,', '0]}'),
  lists: filled('[', '[],', '[]]'),
  nesting: filled('', '[', ''),
  'one field again and again': filled('{', '"a":0,', '"a":0}'),
  'escaped quotes': filled('{"prompt":"', '\\"', '"}'),
  backslashes: filled('{"prompt":"', '\\\\', '"}'),
  'white space': filled('{"prompt":"a","x":0', ' ', '}'),
  'a long text': filled('{"prompt":"', 'x', '","aspect_ratio":"1:1"}'),
};
/** Bodies for calls that read more than others do. */
const unknownField = filled(
  '{"requests":[',
  '{"model":"nb2","mode":"text","body":{"prompt":"a","x":0}},',
  '{"model":"nb2","mode":"text","body":{"prompt":"a"}}]}',
);
const ofBatches: Record<string, Shape> = {
  requests: unknownField,
  'requests of nothing': filled('{"requests":[', '{},', '{}]}'),
  'unknown fields': filled('{"requests":[{', '"a":0,', '"a":0}]}'),
};
const ofDoors: Record<string, Shape> = {
  'an image of escapes': filled(
    '{"images":[{"image_url":"data:image/png;base64,',
    '\\/',
    '"}],"prompt":"a"}',
  ),
  'an image of lines': filled('{"images":[{"image_url":"data:image/png;base64,', '\\n', '"}],"prompt":"a"}'),
  'long texts': filled('{"contents":[{"parts":[', `{"text":"${'x'.repeat(300_000)}"},`, '{"text":""}]}]}'),
  'an inline image of lines': filled(
    '{"contents":[{"parts":[{"inlineData":{"mimeType":"image/png","data":"',
    '\\n',
    '"}}]}]}',
  ),
};
const ofUploads: Record<string, Shape> = {
  'an image': filled('\x89PNG\r\n\x1a\n', '\0', '', 'image/png'),
  'an image of signatures': filled('', '\x89PNG\r\n\x1a\n', '', 'image/png'),
};

const form = (head: string, repeat: string, tail = '') =>
  filled(head, repeat, `${tail}\r\n--b--\r\n`, 'multipart/form-data; boundary=b');
const part = (name: string, more = '') => `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n`;
const file = `${part('image', '; filename="a.png"')}Content-Type: image/png\r\n\r\n`;
const forms: Record<string, Shape> = {
  'a form of fields': form('', `${part('n')}\r\n1\r\n`),
  'a form of files': form('', `${file}\x89PNG\r\n\x1a\n\r\n`),
  'a form with a long field': form(`${part('prompt')}\r\n`, 'x'),
  'a form with a long header': form('--b\r\nX-A: ', 'x'),
  'a form with many headers': form('--b\r\n', 'X-A: x\r\n'),
  'a form with an image': form(`${file}\x89PNG\r\n\x1a\n`, '\0'),
  'a form with an image of line ends': form(`${file}\x89PNG\r\n\x1a\n`, '\r\n'),
  'a form with an image of what is nearly its end': form(`${file}\x89PNG\r\n\x1a\n`, '\r\n--'),
  'a form with an image of other ends': form(`${file}\x89PNG\r\n\x1a\n`, '\r\n--a--\r\n'),
};

const large: [RegExp, number, Record<string, Shape>][] = [
  [/^\/api\/v1\/batches$/, 16 * mb - 100, ofBatches],
  [/^\/v1\/images\/edits$|^\/v1(beta)?\/models\/:call$/, 57 * mb, { ...ofDoors, ...forms }],
  [/\/uploads$/, 24 * mb, { ...ofUploads, ...forms }],
];
const ordinary = 255 * kb;

for (const call of collected.calls.filter(takesBody))
  test(`no body blocks the event loop for long: ${call.method} ${call.url}`, async (context) => {
    const [, bytes = ordinary, more = {}] = large.find(([url]) => url.test(call.url)) ?? [];
    let worst = { name: '', ms: 0 };
    for (const [name, shape] of Object.entries({ ...shapes, ...more })) {
      const ms = await longestTurn(call, shape(bytes));
      if (ms > worst.ms) worst = { name, ms };
      assert.ok(ms <= enoughMs, `${name}: ${ms.toFixed(1)} ms`);
    }
    context.diagnostic(`${worst.ms.toFixed(1)} ms for ${worst.name}`);
  });

test('while eight large bodies arrive, small requests are answered between them', async (context) => {
  const { type, ...body } = unknownField(16 * mb - 100);
  const headers = { ...bearer(world.key), 'content-type': type };
  const requests = Array.from({ length: 8 }, () => ({
    url: world.url,
    method: 'POST',
    path: '/api/v1/batches',
    headers,
    body,
  }));
  let probes = 0;
  const ms = await longestTurnOf(async () => {
    let isOver = false;
    const all = askTogether(requests).finally(() => {
      isOver = true;
    });
    for (; !isOver; probes += 1) assert.equal((await fetch(`${world.url}/livez`)).status, 200);
    assert.deepEqual(new Set(await all), new Set([422]));
  });
  assert.ok(ms <= enoughMs, `${ms.toFixed(1)} ms`);
  context.diagnostic(`${ms.toFixed(1)} ms, and ${probes} probes were answered`);
});

const request = '{"model":"nb2","mode":"text","body":{"prompt":"a fox","aspect_ratio":"1:1"';
const pairs = Array.from({ length: 16 }, (_, at) => `"key ${at}":"value"`).join(',');
const accepted: Record<string, string> = {
  'short prompts': `${request}}}`,
  'long prompts': `${request.replace('a fox', 'a fox '.repeat(260))}}}`,
  metadata: `${request},"metadata":{${pairs}}}}`,
};
const batches = { method: 'POST', url: '/api/v1/batches' };

const lines = (one: string, count: number) => ({
  ...{ head: '', repeat: `${one}\n`, times: count - 1, tail: one },
  type: 'application/jsonl',
});

for (const [name, one] of Object.entries(accepted)) {
  for (const count of [100, 1_000])
    test(`no accepted batch blocks the event loop for long: ${count} with ${name}`, async (context) => {
      const inJson = {
        head: '{"requests":[',
        repeat: `${one},`,
        times: count - 1,
        tail: `${one}]}`,
        type: json,
      };
      const shown = { 'as JSON': inJson, 'as JSON Lines': lines(one, count) };
      for (const [form, body] of Object.entries(shown))
        await assertShort(context, form, () => send(batches, body, { expected: 202 }));
      await assertShort(context, 'from its creation to its end by a cancel', async () => {
        await send(batches, lines(one, count), { expected: 202 });
        const path = `/batches/${await newestBatch()}`;
        assert.equal((await world.send('POST', `${path}/cancel`)).status, 200);
        await until(async () => (await world.send('GET', path)).body.status === 'cancelled');
      });
    });

  test(`nor does one with the most requests allowed, with ${name}`, async (context) => {
    const body = lines(one, maxRequests);
    const headers = { 'idempotency-key': randomUUID() };
    await assertShort(context, 'new', () => send(batches, body, { expected: 202 }));
    await send(batches, body, { expected: 202, headers });
    await assertShort(context, 'again', () => send(batches, body, { expected: 202, headers }));
    const path = `/batches/${await newestBatch()}`;
    await assertShort(context, 'its results', async () => {
      const results = await fetch(`${world.url}/api/v1${path}/results`, { headers: bearer(world.key) });
      // Reads in chunks: the reader is on this thread, so its turns count.
      let lines = 0;
      for await (const chunk of results.body ?? [])
        for (let at = chunk.indexOf(newLine); at !== -1; at = chunk.indexOf(newLine, at + 1)) lines += 1;
      assert.equal(lines, maxRequests);
    });
  });
}

test('a turn three times as long as allowed is found, however fast the machine', async () => {
  const plant = () => {
    for (let ms = 0; ms < 3 * enoughMs; ms += knownWorkMs) doKnownWork();
  };
  subscribe('http.server.request.start', plant);
  try {
    const ms = await longestTurn(batches, { head: '{}', repeat: '', times: 0, tail: '', type: json });
    assert.ok(ms > enoughMs, `${ms.toFixed(1)} ms`);
  } finally {
    unsubscribe('http.server.request.start', plant);
  }
});

function longestTurn(call: RegisteredCall, body: ReturnType<Shape>): Promise<number> {
  return longestTurnOf(() => send(call, body));
}

async function send(
  call: RegisteredCall,
  { type, ...body }: ReturnType<Shape>,
  { expected, headers: more = {} }: { expected?: number; headers?: Record<string, string> } = {},
): Promise<void> {
  const headers = { ...(await callers.headersFor(call)), 'content-type': type, ...more };
  const path = pathOf(call, callers.params);
  const status = await ask({ url: world.url, method: call.method, path, headers, body });
  if (expected !== undefined) assert.equal(status, expected);
}

async function assertShort(context: TestContext, name: string, work: () => Promise<unknown>): Promise<void> {
  const ms = await longestTurnOf(work);
  assert.ok(ms <= enoughMs, `${name}: ${ms.toFixed(1)} ms`);
  context.diagnostic(`${ms.toFixed(1)} ms ${name}`);
}

async function newestBatch(): Promise<string | undefined> {
  const [newest] = (await world.send('GET', '/batches?limit=1')).body.data as { batch_id: string }[]; // the documented shape
  return newest?.batch_id;
}

/** The shortest of several tries. A turn that seems too long is scaled to a machine of usual speed. */
async function longestTurnOf(work: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let tried = 0; tried < tries && best > enoughMs; tried += 1) {
    using turns = measureTurns();
    await work();
    const ms = await turns.longestMs();
    best = Math.min(best, ms > enoughMs ? ms / slowness() : ms);
  }
  return best;
}

async function askTogether(requests: readonly BodyToSend[]): Promise<number[]> {
  const answers = on(sender, 'message');
  for (const request of requests) sender.postMessage(request);
  const statuses: number[] = [];
  for await (const [status] of answers) {
    statuses.push(status as number);
    if (statuses.length === requests.length) break;
  }
  return statuses;
}

async function ask(request: BodyToSend): Promise<number> {
  const answered = once(sender, 'message');
  sender.postMessage(request);
  const [status] = (await answered) as [number];
  assert.notEqual(status, 0, `${request.path} was not answered`);
  return status;
}
