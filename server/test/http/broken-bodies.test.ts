import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openWorld, type World } from '../world/world.ts';
import {
  type BodyFault,
  bodyFaults,
  type Framing,
  framings,
  type Outcome,
  type SampleBody,
  sampleBodies,
  sendBroken,
} from './support/broken-bodies.ts';
import { openCallers } from './support/callers.ts';
import { openRawClient, rawRequest } from './support/raw-client.ts';
import { collectCalls, pathOf, type RegisteredCall, takesBody } from './support/registered-calls.ts';
import { bearer } from './support/requests.ts';

/** Sends every broken body to every call of every API. An exception would end the process, with all its other work. */
using collected = collectCalls();
const world = await openWorld({ worker: false });
after(() => world[Symbol.asyncDispose]());
const callers = await openCallers(world);
const calls = collected.calls.filter(takesBody);

const crashes: unknown[] = [];
const note = (error: unknown) => void crashes.push(error);
process.on('uncaughtExceptionMonitor', note);
after(() => process.off('uncaughtExceptionMonitor', note));

const refusedType = 415;

for (const prefix of prefixesOf(calls))
  test(`every call below ${prefix} survives every broken body, answers correctly, and leaves no connection stuck`, async () => {
    for (const call of calls.filter(({ url }) => prefixOf(url) === prefix))
      for (const sample of sampleBodies) await tryAll(call, sample);
    // Connections of slow senders are checked every second.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    assert.deepEqual(crashes, []);
  });

async function tryAll(call: RegisteredCall, sample: SampleBody): Promise<void> {
  for (const framing of framings)
    for (const fault of bodyFaults) {
      const outcome = await sendBroken(world.url, {
        method: call.method,
        path: pathOf(call, callers.params),
        headers: await callers.headersFor(call),
        ...sample,
        framing,
        fault,
      });
      const said = `${call.method} ${call.url}, ${sample.type} ${framing}, ${fault}: ${outcome.reply?.status} ${outcome.connection}`;
      assertRight(outcome, fault, said);
      // A type that the call does not take is refused before the body is read, so one test is enough.
      if (outcome.reply?.status === refusedType && framing === 'with length') return;
    }
}

function assertRight({ reply, connection }: Outcome, fault: BodyFault, said: string): void {
  assert.notEqual(connection, 'stuck', said);
  if (fault.startsWith('reset')) return;
  assert.ok(reply, said);
  // 400 if a form or a program's protocol says so.
  const right = fault === 'too long' ? [413, refusedType, 422, 400] : [400, refusedType];
  assert.ok(right.includes(reply.status), said);
  // Pages for people name the mistake in their language.
  const tooLong = reply.body.startsWith('<!doctype html>')
    ? /It is too large\./
    : /\d{1,2}(,\d{3})+ bytes at most/;
  if (reply.status === 413) assert.match(reply.body, tooLong, said);
  if (fault !== 'too long') assert.equal(connection, 'closed', said);
}

test('while the memory for large bodies is full, every call answers, or says that it is full', async () => {
  await using _full = await fillMemory(world);
  const large: Framing[] = ['chunked', 'with length'];
  let refused = 0;
  for (const call of calls)
    for (const framing of large)
      for (const sample of sampleBodies) {
        const outcome = await sendBroken(world.url, {
          method: call.method,
          path: pathOf(call, callers.params),
          headers: await callers.headersFor(call),
          ...sample,
          framing,
          fault: 'too long',
        });
        const { reply, connection } = outcome;
        const said = `${call.method} ${call.url}, ${sample.type} ${framing}: ${reply?.status} ${connection}`;
        assert.notEqual(connection, 'stuck', said);
        assert.ok(reply && reply.status >= 400 && (reply.status < 500 || reply.status === 503), said);
        if (reply.status === 503) refused += 1;
        if (reply.status === refusedType) break;
      }
  assert.ok(refused >= 3, `${refused} were refused for want of memory`);
  assert.deepEqual(crashes, []);
});

async function fillMemory({ url, account }: World): Promise<AsyncDisposable> {
  const stack = new DisposableStack();
  const bytes = 57 * 1024 * 1024;
  for (const name of ['one', 'other']) {
    const { key } = await account(`${name} of the large bodies`);
    const client = stack.use(await openRawClient(url));
    const headers = {
      ...bearer(key),
      'content-type': 'application/json',
      'content-length': `${bytes + 10_000}`,
    };
    client.write(rawRequest('POST', '/v1/images/edits', { headers }));
    client.write(`{"x": "${'x'.repeat(49 * 1024 * 1024)}`);
    await new Promise((resolve) => client.socket.once('drain', resolve));
    // A slower sender would be cut off.
    stack.adopt(
      setInterval(() => client.write('x'.repeat(64 * 1024)), 150),
      clearInterval,
    );
  }
  return {
    async [Symbol.asyncDispose]() {
      stack.dispose();
    },
  };
}

function prefixOf(url: string): string {
  return /^(\/api\/v1|\/admin\/v1|\/panel\/operator|\/panel|\/v1beta|\/v1|\/[^/]+)/.exec(url)?.[0] ?? url;
}

function prefixesOf(all: readonly RegisteredCall[]): Set<string> {
  return new Set(all.map(({ url }) => prefixOf(url)));
}
