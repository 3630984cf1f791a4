import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hoistSchemas } from '../../src/web/api/openapi/hoist-schemas.ts';
import { openWorld, type World } from '../world/world.ts';

interface Operation {
  operationId: string;
  parameters?: { name: string; schema: Record<string, unknown> }[];
  responses: Record<string, { description: string; headers: Record<string, unknown>; content?: object }>;
}

interface Description {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: {
    schemas: Record<string, Record<string, unknown>>;
    headers: Record<string, { required?: boolean }>;
  };
}

async function describe({ send }: World): Promise<Description> {
  return (await send('GET', '/openapi.json')).body as unknown as Description;
}

test('every call has a unique name, and every reference leads somewhere', async () => {
  await using world = await openWorld();
  const description = await describe(world);
  const operations = Object.values(description.paths).flatMap((methods) => Object.values(methods));
  const ids = [...operations, ...Object.values(description.webhooks).map(({ post }) => post)].map(
    ({ operationId }) => operationId,
  );
  for (const id of ids) assert.match(id, /^[a-z][A-Za-z0-9]+$/);
  assert.equal(new Set(ids).size, ids.length);
  const references = JSON.stringify(description).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g);
  for (const [text, kind, name] of references)
    assert.ok(name && description.components[kind as 'schemas' | 'headers'][name], text);
  for (const { parameters = [] } of operations) {
    const limit = parameters.find(({ name }) => name === 'limit');
    if (limit) assert.deepEqual([limit.schema.type, limit.schema.maximum], ['integer', 100]);
  }
});

test('the examples of a deadline are accepted today', async () => {
  await using world = await openWorld();
  const text = JSON.stringify(await describe(world));
  const [, examples = '[]'] =
    /"deadline_seconds":\{"type":"integer"[^}]*"examples":(\[[^\]]*\])/.exec(text) ?? [];
  assert.ok(JSON.parse(examples).length > 1, examples);
  for (const deadline_seconds of JSON.parse(examples))
    await world.create('/nb/text-generations', { deadline_seconds });
});

test('every field has one type, and no default that would make generators require it', async () => {
  await using world = await openWorld({ worker: false });
  const { components } = await describe(world);
  for (const [name, { properties = {} }] of Object.entries(components.schemas))
    for (const [field, schema] of Object.entries(properties as Record<string, Record<string, unknown>>)) {
      const types = [schema.type].flat().filter((type) => type !== 'null');
      assert.ok(types.length <= 1, `${name}.${field}`);
      assert.equal('default' in schema, false, `${name}.${field}`);
    }
});

test('values that are not names come with unique names for generators', async () => {
  await using world = await openWorld({ worker: false });
  const { components } = await describe(world);
  const { enum: values, 'x-enum-varnames': names } = components.schemas.KnownAspectRatio as {
    enum: string[];
    'x-enum-varnames': string[];
  };
  assert.equal(names[values.indexOf('16:9')], 'RATIO_16X9');
  assert.equal(names[values.indexOf('auto')], 'AUTO');
  assert.equal(new Set(names).size, values.length);
});

test('booleans in a query are booleans, and streams’ answers are described', async () => {
  await using world = await openWorld({ worker: false });
  const { paths } = await describe(world);
  const flag = paths['/jobs']?.get?.parameters?.find(({ name }) => name === 'starred');
  assert.deepEqual(flag?.schema, { type: 'boolean' });
  const { responses } = paths['/jobs/{job_id}']?.get ?? assert.fail();
  assert.deepEqual(Object.keys(responses['200']?.content ?? {}), ['application/json', 'text/event-stream']);
  assert.equal(responses['204']?.content, undefined);
  assert.ok(responses['204']);
});

test('the list of codes has all codes that calls answer with, and none that only pages see', async () => {
  await using world = await openWorld({ worker: false });
  const { paths, components } = await describe(world);
  const known = components.schemas.KnownErrorCode?.enum as string[];
  const said = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ responses }) => Object.values(responses))
    .filter(({ content }) => content && 'application/problem+json' in content)
    .flatMap(({ description }) => [...description.matchAll(/`(\w+)`: /g)].map(([, code]) => code));
  for (const code of new Set(said)) assert.ok(code && known.includes(code), code);
  for (const code of ['session_missing', 'second_factor_required', 'role_forbidden'])
    assert.equal(known.includes(code), false, code);
});

test('shared schemas have one name, and the list of codes may grow', async () => {
  await using world = await openWorld();
  const { components } = await describe(world);
  for (const name of ['AspectRatio', 'Resolution', 'JobResult', 'ErrorCode', 'JobErrorCode', 'Problem'])
    assert.ok(components.schemas[name], name);
  assert.deepEqual(components.schemas.ErrorCode?.anyOf, [
    { $ref: '#/components/schemas/KnownErrorCode' },
    { type: 'string' },
  ]);
});

test('answers have the headers that the document requires', async () => {
  await using world = await openWorld();
  const { paths, components } = await describe(world);
  const cases = [
    ['GET', '/balance', '/balance', {}],
    ['GET', '/balance', '/balance', { authorization: 'Bearer dk_wrong' }],
    ['GET', '/jobs', '/jobs?limit=x', {}],
    ['GET', '/jobs/{job_id}', '/jobs/none', {}],
    ['POST', '/webhooks/{endpoint_id}/test', '/webhooks/default/test', {}],
  ] as const;
  for (const [method, path, url, headers] of cases) {
    const reply = await world.send(method, url, { headers });
    const documented = paths[path]?.[method.toLowerCase()]?.responses[reply.status];
    assert.ok(documented, `${reply.status} of ${url}`);
    for (const name of Object.keys(documented.headers))
      if (components.headers[name]?.required) assert.ok(reply.headers.has(name), `${name} of ${url}`);
  }
});

test('a name that stands for two schemas is refused', () => {
  const fields = { one: { title: 'Thing', type: 'string' }, other: { title: 'Thing', type: 'integer' } };
  const schemas = { Both: { type: 'object', properties: fields } };
  assert.throws(() => hoistSchemas({ paths: {}, components: { schemas } }), /Thing/);
});
