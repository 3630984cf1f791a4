import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { openWorld } from '../world/world.ts';
import { openCallers } from './support/callers.ts';
import { collectCalls, pathOf, type RegisteredCall, takesBody } from './support/registered-calls.ts';
import type { BodyToSend, LargeBody } from './support/send-body.worker.ts';

/**
 * The longest turn of the event loop, for bodies that cost most, at every call that takes them. While it lasts nobody else is
 * answered. In processor time of the server's thread, so that others on this machine do not count; the sender is another thread.
 */
using collected = collectCalls();
const world = await openWorld({ worker: false });
after(() => world[Symbol.asyncDispose]());
const callers = await openCallers(world);
const sender = new Worker(new URL('support/send-body.worker.ts', import.meta.url));
after(() => sender.terminate());

const enoughMs = 20;
const tries = 6;
const kb = 1024;
const mb = 1024 * kb;

type Shape = (bytes: number) => LargeBody;
const filled =
  (head: string, repeat: string, tail: string): Shape =>
  (bytes) => ({
    head,
    repeat,
    times: Math.floor((bytes - head.length - tail.length) / repeat.length),
    tail,
  });
/** JSON that takes long to parse, to check or to refuse, whatever is asked for. */
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
/** For calls that read more than others do. */
const ofBatches: Record<string, Shape> = {
  requests: filled(
    '{"requests":[',
    '{"model":"nb2","mode":"text","body":{"prompt":"a","x":0}},',
    '{"model":"nb2","mode":"text","body":{"prompt":"a"}}]}',
  ),
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

const large: [RegExp, number, Record<string, Shape>][] = [
  [/^\/api\/v1\/batches$/, 16 * mb - 100, ofBatches],
  [/^\/v1\/images\/edits$|^\/v1(beta)?\/models\/:call$/, 57 * mb, ofDoors],
];
const ordinary = 255 * kb;

for (const call of collected.calls.filter(takesBody))
  test(`no body holds the event loop for long: ${call.method} ${call.url}`, async (context) => {
    const [, bytes = ordinary, more = {}] = large.find(([url]) => url.test(call.url)) ?? [];
    let worst = { name: '', ms: 0 };
    for (const [name, shape] of Object.entries({ ...shapes, ...more })) {
      const ms = await longestTurn(call, shape(bytes));
      if (ms > worst.ms) worst = { name, ms };
      assert.ok(ms <= enoughMs, `${name}: ${ms.toFixed(1)} ms`);
    }
    context.diagnostic(`${worst.ms.toFixed(1)} ms for ${worst.name}`);
  });

/** The best of some tries: what belongs to the body comes back, a collection of garbage in the midst of it need not. */
async function longestTurn(call: RegisteredCall, body: LargeBody): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let tried = 0; tried < tries && best > enoughMs; tried += 1) {
    const headers = { ...(await callers.headersFor(call)), 'content-type': 'application/json' };
    const path = pathOf(call, callers.params);
    using turns = measureTurns();
    await ask({ url: world.url, method: call.method, path, headers, body });
    best = Math.min(best, turns.longestMs());
  }
  return best;
}

async function ask(request: BodyToSend): Promise<number> {
  const answered = once(sender, 'message');
  sender.postMessage(request);
  const [status] = (await answered) as [number];
  assert.notEqual(status, 0, `${request.path} was not answered`);
  return status;
}

/** Goes round with the loop; between two of its turns lies what the loop did meanwhile. */
function measureTurns(): Disposable & { longestMs(): number } {
  let isOver = false;
  let longest = 0;
  let before = process.threadCpuUsage();
  const turn = () => {
    const now = process.threadCpuUsage();
    longest = Math.max(longest, now.user + now.system - before.user - before.system);
    before = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    longestMs: () => longest / 1000,
    [Symbol.dispose]() {
      isOver = true;
    },
  };
}
