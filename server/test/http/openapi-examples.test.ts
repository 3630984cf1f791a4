import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import { makeAdminKey } from '../admin/admin-client.ts';
import { openWorld } from '../world/world.ts';

const world = await openWorld({ worker: false });
after(() => world[Symbol.asyncDispose]());
const { key } = await makeAdminKey(world, 'reader', ['read']);
const get = (path: string, credential: string) =>
  fetch(world.url + path, { headers: { authorization: `Bearer ${credential}` } });
const documents = {
  '/api/v1': (path: string) => get(`/api/v1${path}`, world.key),
  '/admin/v1': (path: string) => get(`/admin/v1${path.replace('{account}', 'tests')}`, key),
};

interface Parameter {
  name: string;
  in: string;
  example?: unknown;
}

interface Description {
  components: object;
  paths: Record<string, Record<string, { parameters?: Parameter[] }>>;
}

interface Example {
  at: string;
  schema: object;
  value: unknown;
}

function examplesIn(node: unknown, at = ''): Example[] {
  if (Array.isArray(node)) return node.flatMap((one, index) => examplesIn(one, `${at}/${index}`));
  if (typeof node !== 'object' || node === null) return [];
  const {
    examples,
    example,
    schema = node,
  } = node as { examples?: unknown; example?: unknown; schema?: object };
  const given = [...(Array.isArray(examples) ? examples : []), ...(example === undefined ? [] : [example])];
  return [
    ...given.map((value) => ({ at, schema, value })),
    ...Object.entries(node).flatMap(([name, inner]) =>
      name === 'example' || name === 'examples' ? [] : examplesIn(inner, `${at}/${name}`),
    ),
  ];
}

for (const [prefix, send] of Object.entries(documents)) {
  const file = `${prefix}/openapi.json`;
  const document = (await (await fetch(world.url + file)).json()) as Description;

  test(`every example of ${file} is valid against its own schema`, () => {
    const examples = examplesIn(document);
    assert.ok(examples.length > 50, String(examples.length));
    for (const { at, schema, value } of examples) {
      const inDocument = { ...schema, components: document.components } as TSchema;
      const wrong = [...Value.Errors(inDocument, value)].map(({ message }) => message);
      assert.deepEqual(wrong, [], `${at}: ${JSON.stringify(value)}`);
    }
  });

  test(`every call of ${file} accepts its parameters’ examples today`, async () => {
    let sent = 0;
    for (const [path, methods] of Object.entries(document.paths)) {
      const given = (methods.get?.parameters ?? []).filter(({ example }) => example !== undefined);
      const query = given
        .filter((one) => one.in === 'query')
        .map(({ name, example }) => `${name}=${example}`);
      if (given.length === 0) continue;
      const filled = given.reduce(
        (text, { name, example }) => text.replace(`{${name}}`, String(example)),
        path,
      );
      const answer = await send(`${filled}?${query.join('&')}`);
      const body = await answer.text();
      assert.notEqual(answer.status, 422, `${filled}?${query.join('&')}: ${body}`);
      sent += 1;
    }
    assert.ok(sent >= 3, String(sent));
  });
}
