import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { DarkroomAdmin } from '@darkroom/sdk';
import { buildClientProgram } from '../../../cli/src/client-program.ts';
import { buildProgram } from '../../../cli/src/program.ts';
import { ofCommands, ofPanel, onlyOnTheMachine } from './parity.ts';

interface Document {
  paths: Record<string, Record<string, { operationId: string }>>;
}

const document: Document = JSON.parse(
  readFileSync(new URL('../../../openapi-admin.json', import.meta.url), 'utf8'),
);
const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId }]) => ({
    operationId,
    call: `${method.toUpperCase()} ${path}`,
  })),
);
const operations = new Set(calls.map(({ operationId }) => operationId));

test('what the command line does for a server is a call of /admin/v1, or has a reason why it is none', () => {
  const ofClients = new Set(verbsOf(buildClientProgram('')));
  const ofOperators = verbsOf(buildProgram()).filter((verb) => !ofClients.has(verb));
  assert.deepEqual(ofOperators.sort(), [...Object.keys(ofCommands), ...Object.keys(onlyOnTheMachine)].sort());
  for (const [verb, operation] of Object.entries(ofCommands))
    for (const one of [operation].flat()) assert.ok(operations.has(one), `${verb}: there is no ${one}`);
});

test('what operators do in the panel is a call of /admin/v1, or has a reason why it is none', () => {
  for (const [call, operation] of Object.entries(ofPanel))
    if (typeof operation === 'string')
      assert.ok(operations.has(operation), `${call}: there is no ${operation}`);
});

test('DarkroomAdmin has a method for every call of /admin/v1, and no other', async () => {
  const sent = new Set<string>();
  const admin = new DarkroomAdmin({
    baseUrl: 'http://127.0.0.1:1',
    adminKey: 'dka_x',
    async fetch(url, { method = 'GET' } = {}) {
      const path = new URL(String(url)).pathname.replace('/admin/v1', '');
      const matching = calls.filter(({ call }) => {
        const pattern = new RegExp(`^${call.replaceAll(/\{\w+\}/g, '(x|y)')}$`);
        return pattern.test(`${method} ${path}`);
      });
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

/** `account create`, `pause`. */
function verbsOf(program: ReturnType<typeof buildProgram>, before = ''): string[] {
  return program.commands.flatMap((command) => {
    const name = `${before}${command.name()}`;
    const below = verbsOf(command, `${name} `);
    return below.length > 0 ? below : [name];
  });
}

function methodsOf(admin: DarkroomAdmin): (keyof DarkroomAdmin)[] {
  const inherited = ['constructor', 'move', 'once', 'long', 'list', 'pages', 'send'];
  const names: string[] = [];
  for (let one: object = DarkroomAdmin.prototype; one !== Object.prototype; one = Object.getPrototypeOf(one))
    names.push(...Object.getOwnPropertyNames(one));
  assert.ok(names.every((name) => name in admin));
  return names.filter((name) => !inherited.includes(name)) as (keyof DarkroomAdmin)[]; // its prototypes name them
}
