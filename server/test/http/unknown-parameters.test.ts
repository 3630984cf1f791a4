import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openWorld } from '../world/world.ts';
import { allCalls, type Call, sendCall } from './support/all-calls.ts';
import { assertProblem, assertRefused, pointersOf } from './support/refusal.ts';

const world = await openWorld({ worker: false });
after(() => world[Symbol.asyncDispose]());
const calls = await allCalls(world);
const send = (call: Call, query: string) => sendCall(world, call, query);

test('every call of every API refuses a parameter that it does not know, before it reads the body', async () => {
  assert.ok(calls.length > 150);
  for (const call of calls)
    for (const query of ['nonsense=1', '_=1732390000000', '__proto__=1', 'Limit=1', 'dryRun=true']) {
      const where = `${call.method} ${call.path}?${query}`;
      const reply = await send(call, query);
      assert.equal(reply.status, 422, `${where}: ${JSON.stringify(reply.body)}`);
      assertProblem(reply, 422, 'invalid_request');
      assert.ok(pointersOf(reply).includes(`/query/${query.split('=')[0]}`), where);
    }
});

test('every call refuses a parameter that is given twice, even with equal values', async () => {
  const named = calls.flatMap((call) => call.query.map((name) => ({ call, name })));
  assert.ok(named.length > 60);
  for (const { call, name } of named) {
    const where = `${call.method} ${call.path} ${name}`;
    const reply = await send(call, `${name}=1&${name}=1`);
    assert.equal(reply.status, 422, `${where}: ${JSON.stringify(reply.body)}`);
    const pointer = `/query/${name}`;
    const errors = (reply.body.errors as { pointer: string }[]).filter((error) => error.pointer === pointer);
    assert.deepEqual(errors, [{ pointer, detail: 'must be given once.' }], where);
  }
});

test('a create with an unknown parameter has no effect', async () => {
  const body = { prompt: 'a fox', aspect_ratio: '1:1' };
  const requests = [{ model: 'nb', mode: 'text', body }];
  for (const [path, sent] of [
    ['/nb/text-generations?dryRun=true', body],
    ['/nb/text-generations?dry_run=true&dry_run=true', body],
    ['/batches?dry-run=true', { requests }],
  ] as const)
    await assertRefused(world, () => world.send('POST', path, { body: sent }), 422, 'invalid_request');
});

test('a caller that may not make a call gets that error first', async () => {
  const { key } = await world.account('fast-only', { models: ['nb'] });
  const ask = async (path: string, authorization: string) =>
    (await world.send('GET', path, { headers: { authorization } })).status;
  assert.equal(await ask('/balance?x=1', 'Bearer dk_wrong'), 401);
  const refused = await world.send('POST', '/nb2/text-generations?x=1', {
    body: {},
    headers: { authorization: `Bearer ${key}` },
  });
  assert.equal(refused.status, 403);
  assert.equal(await ask('/balance?x=1', `Bearer ${key}`), 422);
  assert.equal(await ask('/balance?', `Bearer ${key}`), 200);
});

test('metadata without a name in brackets is refused with how to write it', async () => {
  const { body } = await world.send('GET', '/jobs?metadata=1042');
  const detail = 'must be given with a name in brackets, such as metadata[order]=1042.';
  assert.deepEqual(body.errors, [{ pointer: '/query/metadata', detail }]);
  assert.equal((await world.send('GET', '/jobs?metadata[order]=1042')).status, 200);
});

interface DoorError {
  param: string;
  type: string;
  status: string;
  details: { fieldViolations: { field: string }[] }[];
  data: { code: string };
}

const image = { prompt: 'a fox', model: 'nb' };
const contents = { contents: [{ parts: [{ text: 'a fox' }] }] };
const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

test('other APIs refuse, in their own words, parameters that would be dropped silently', async () => {
  const knock = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' };
    const response = await fetch(world.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const { error } = (await response.json()) as { error: DoorError };
    return { status: response.status, headers: response.headers, error };
  };
  const before = await world.balance();
  const openai = await knock('/v1/images/generations?dry_run=true', image);
  assert.deepEqual(
    [openai.status, openai.error.param, openai.error.type],
    [400, 'dry_run', 'invalid_request_error'],
  );
  assert.equal(openai.headers.get('x-should-retry'), 'false');
  const gemini = await knock('/v1beta/models/nb:generateContent?alt=json&dryRun=true', contents);
  assert.deepEqual([gemini.status, gemini.error.status], [400, 'INVALID_ARGUMENT']);
  assert.deepEqual(gemini.error.details[1]?.fieldViolations[0]?.field, 'query.dryRun');
  const mcp = await knock('/mcp?dry_run=true', rpc);
  assert.deepEqual([mcp.status, mcp.error.data.code], [400, 'invalid_request']);
  assert.deepEqual(await world.balance(), before);
});

test('other APIs accept the parameters that their programs send by themselves', async () => {
  for (const path of [
    '/v1/models?api-version=2025-04-01-preview&limit=100',
    '/v1beta/models?pageSize=100&alt=json&prettyPrint=false',
  ])
    assert.equal(
      (await fetch(world.url + path, { headers: { authorization: `Bearer ${world.key}` } })).status,
      200,
    );
});
