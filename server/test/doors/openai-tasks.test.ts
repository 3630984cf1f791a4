import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { failure } from '../../src/upstream/providers/failure.ts';
import { plainPng } from '../world/provider.ts';
import { openWorld } from '../world/world.ts';

const world = await openWorld();
after(() => world[Symbol.asyncDispose]());
const wish = { model: 'nb2', prompt: 'a fox' };
const sentImage = { image_url: `data:image/png;base64,${plainPng(64, 48).toString('base64')}` };

for (const [call, more] of [
  ['generations', {}],
  ['edits', { images: [sentImage] }],
] as const)
  test(`with Prefer: respond-async, ${call} is answered at once, and later with the usual answer`, async () => {
    const go = holdProvider();
    const body = { ...wish, ...more, n: 2, output_format: 'webp', user: 'customer-7' };
    const accepted = await post(call, body);
    const task = await read(accepted);
    const location = accepted.headers.get('location') ?? '';
    assert.equal(accepted.status, 202);
    assert.equal(location, `/v1/images/tasks/${task.id}`);
    assert.deepEqual(Object.keys(task), ['id', 'status']);
    assert.match(task.status, /^(queued|processing)$/);
    const waiting = await get(location);
    assert.deepEqual([waiting.status, (await read(waiting)).id], [202, task.id]);
    go();
    await ended(accepted);
    const done = await get(location);
    const answer = await read(done);
    assert.equal(done.status, 200);
    assert.equal(done.headers.get('x-darkroom-job-id'), accepted.headers.get('x-darkroom-job-id'));
    assert.deepEqual(
      [answer.data.length, answer.output_format, answer.safety_identifier, answer.usage.price],
      [2, 'webp', 'customer-7', '0.08'],
    );
    assert.equal(Buffer.from(answer.data[0].b64_json, 'base64').subarray(8, 12).toString(), 'WEBP');
  });

for (const [what, user] of [
  ['ten images and the longest user', 'u'.repeat(512)],
  ['ten images and the longest user in another script', '用'.repeat(512)],
  ['ten images and the longest user of control characters', '\u0001'.repeat(512)],
] as const)
  test(`a task of ${what} can be read`, async () => {
    holdProvider()();
    const accepted = await post('generations', { ...wish, n: 10, user });
    assert.equal(accepted.status, 202);
    await ended(accepted);
    const done = await get(accepted.headers.get('location') ?? '');
    const answer = await read(done);
    assert.deepEqual(
      [done.status, answer.data?.length, answer.safety_identifier],
      [200, 10, user],
      JSON.stringify(answer.error),
    );
  });

test('a failed job’s task answers as the call would have', async () => {
  world.provider.handler = () => Promise.reject(failure('safety_blocked'));
  const accepted = await post('generations', wish);
  await ended(accepted);
  const failed = await get(accepted.headers.get('location') ?? '');
  assert.deepEqual([failed.status, (await read(failed)).error.code], [400, 'moderation_blocked']);
});

test('only its account, and the token that created it, can read a task', async () => {
  holdProvider()();
  const location = (await post('generations', wish)).headers.get('location') ?? '';
  const { key } = await world.account('others');
  const { token } = (await world.send('POST', '/client-tokens', { body: { models: ['nb2'] } })).body;
  const own = (await post('generations', wish, String(token))).headers.get('location') ?? '';
  const asked = [get(location, key), get(location, String(token)), get(own), get(own, String(token))];
  const [stranger, ofToken, ofKey, itself] = (await Promise.all(asked)).map(({ status }) => status);
  assert.deepEqual([stranger, ofToken, ofKey], [404, 404, 404]);
  assert.ok(itself === 200 || itself === 202);
  const none = await get('/v1/images/tasks/none');
  assert.deepEqual([none.status, (await read(none)).error.code], [404, 'not_found']);
});

function post(call: string, body: object, key = world.key): Promise<Response> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    prefer: 'respond-async',
  };
  return fetch(`${world.url}/v1/images/${call}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

function get(path: string, key = world.key): Promise<Response> {
  return fetch(world.url + path, { headers: { authorization: `Bearer ${key}` } });
}

async function read(response: Response) {
  return JSON.parse(await response.text());
}

async function ended({ headers }: Response): Promise<void> {
  for (const id of (headers.get('x-darkroom-job-id') ?? '').split(', ')) await world.finished(id);
}

function holdProvider(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  world.provider.handler = async (request) => {
    await promise;
    return world.provider.answer(request);
  };
  return resolve;
}
