import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DarkroomAdmin } from '@darkroom/sdk';
import { adminCalls } from '../../src/web/admin/admin.ts';

// The table only keeps what it is given; no handler runs here.
const calls = adminCalls({} as Parameters<typeof adminCalls>[0]).map(({ method, path }) => ({
  call: `${method} ${path}`,
  pattern: new RegExp(`^${method} ${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '(x|y)')}$`),
}));

test('DarkroomAdmin has a method for every call of /admin/v1, and no other', async () => {
  const sent = new Set<string>();
  const admin = new DarkroomAdmin({
    baseUrl: 'http://127.0.0.1:1',
    adminKey: 'dka_x',
    async fetch(url, { method = 'GET' } = {}) {
      const path = new URL(String(url)).pathname.replace('/admin/v1', '');
      const matching = calls.filter(({ pattern }) => pattern.test(`${method} ${path}`));
      assert.ok(matching.length > 0, `there is no ${method} ${path}`);
      for (const { call } of matching) sent.add(call);
      return Response.json({ data: [] });
    },
  });
  for (const name of methodsOf(admin)) {
    const method = admin[name] as (...values: unknown[]) => unknown;
    const answer = method.call(admin, 'x', 'y', {});
    if (typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer)
      await Array.fromAsync(answer as AsyncIterable<unknown>); // nothing is sent before it is read
    else await answer;
  }
  assert.deepEqual([...sent].sort(), calls.map(({ call }) => call).sort());
});

function methodsOf(admin: DarkroomAdmin): (keyof DarkroomAdmin)[] {
  const inherited = ['constructor', 'move', 'once', 'long', 'list', 'pages', 'send'];
  const names: string[] = [];
  for (let one: object = DarkroomAdmin.prototype; one !== Object.prototype; one = Object.getPrototypeOf(one))
    names.push(...Object.getOwnPropertyNames(one));
  assert.ok(names.every((name) => name in admin));
  return names.filter((name) => !inherited.includes(name)) as (keyof DarkroomAdmin)[]; // its prototypes name them
}
