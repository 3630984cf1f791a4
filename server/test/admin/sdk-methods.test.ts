import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Darkroom, DarkroomAdmin } from '@darkroom/sdk';
import { adminCalls } from '../../src/web/admin/admin.ts';
import { accountRows, apiRows } from '../../src/web/api/table.ts';

// The tables only store their arguments; no handler runs here.
const calls = adminCalls({} as Parameters<typeof adminCalls>[0]).map(patternOf);
const ownCalls = [
  ...accountRows({} as Parameters<typeof accountRows>[0]),
  ...apiRows({ uploads: {}, streams: {} } as Parameters<typeof apiRows>[0]),
].map(patternOf);

function patternOf({ method, path, call }: { method: string; path: string; call: { idempotency?: string } }) {
  return {
    call: `${method} ${path}`,
    pattern: new RegExp(`^${method} ${path.replaceAll('.', '\\.').replaceAll(/:\w+\??/g, '(x|y|default)')}$`),
    takesKey: call.idempotency !== undefined,
  };
}

test('DarkroomAdmin has a method for every call of /admin/v1, and no other', async () => {
  const sent = new Set<string>();
  const admin = new DarkroomAdmin({
    baseUrl: 'http://127.0.0.1:1',
    adminKey: 'dka_x',
    async fetch(url, init) {
      const matching = callsOf(calls, url, init);
      for (const { call } of matching) sent.add(call);
      return Response.json({ data: [] });
    },
  });
  for (const method of methodsOf(admin)) await callWith(method, 'x', 'y', {});
  assert.deepEqual([...sent].sort(), calls.map(({ call }) => call).sort());
});

test('the SDK sends an Idempotency-Key with exactly the calls that take one', async () => {
  const sent = new Set<string>();
  const darkroom = new Darkroom({
    baseUrl: 'http://127.0.0.1:1',
    apiKey: 'dk_x',
    async fetch(url, init) {
      for (const { call, takesKey } of callsOf(ownCalls, url, init)) if (takesKey) sent.add(call);
      return Response.json({ data: [], secrets: [] });
    },
  });
  const waiting = ['generate', 'waitForJob', 'followEvents', 'wait'];
  for (const method of [...methodsOf(darkroom, waiting), ...methodsOf(darkroom.batches, waiting)])
    await callWith(method, 'x', {}, {}).catch(() => {}); // some fail, as for an image that does not exist
  assert.ok(sent.size >= 10, [...sent].join());
});

/** @throws for a request whose key has no effect, or that needs a key to be repeated and has none */
function callsOf(
  known: ReturnType<typeof patternOf>[],
  url: unknown,
  { method = 'GET', headers }: RequestInit = {},
) {
  const { pathname, searchParams } = new URL(String(url));
  const path = pathname.replace(/^\/(admin|api)\/v1/, '');
  const matching = known.filter(({ pattern }) => pattern.test(`${method} ${path}`));
  if (matching.length === 0) unexpected.push(`there is no ${method} ${path}`);
  const takesKey = matching.some((call) => call.takesKey) && !searchParams.has('dry_run');
  if (new Headers(headers).has('idempotency-key') !== takesKey)
    unexpected.push(`the key of ${method} ${path}`);
  return matching;
}

const unexpected: string[] = [];
afterEach(() => assert.deepEqual(unexpected.splice(0), []));

async function callWith(method: (...values: unknown[]) => unknown, ...values: unknown[]): Promise<void> {
  const answer = method(...values);
  if (typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer)
    await Array.fromAsync(answer as AsyncIterable<unknown>); // the request is sent when the answer is read
  else await answer;
}

/** The methods of the client's prototypes, except those that other methods call. */
function methodsOf(client: object, left: string[] = []): ((...values: unknown[]) => unknown)[] {
  const inner = [
    'constructor',
    'move',
    'make',
    'once',
    'long',
    'list',
    'pages',
    'send',
    'get',
    'change',
    ...left,
  ];
  const methods: ((...values: unknown[]) => unknown)[] = [];
  for (let one = Object.getPrototypeOf(client); one !== Object.prototype; one = Object.getPrototypeOf(one))
    for (const name of Object.getOwnPropertyNames(one))
      if (!inner.includes(name)) methods.push(one[name].bind(client));
  return methods;
}
