import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expire } from '../world/expire.ts';
import { openWorld, type World } from '../world/world.ts';
import { Browser, openMember } from './browser.ts';

let world: World;
before(async () => {
  world = await openWorld({ env: { DARKROOM_CORS_ORIGINS: 'https://app.example.com' } });
});
after(() => world[Symbol.asyncDispose]());

const ask = (jobId: string, headers: Record<string, string> = {}, query = '') =>
  fetch(`${world.url}/jobs/${jobId}/image${query}`, { redirect: 'manual', headers });
const withKey = (key = world.key) => ({ authorization: `Bearer ${key}` });
const codeOf = async (reply: Response) => [reply.status, ((await reply.json()) as { code: string }).code];

async function makeImage(): Promise<string> {
  const jobId = await world.create();
  await world.finished(jobId);
  return jobId;
}

test('a stable link redirects any key of the account to the current signed link', async () => {
  const jobId = await makeImage();
  const reply = await ask(jobId, withKey());
  assert.equal(reply.status, 302);
  assert.equal(reply.headers.get('cache-control'), 'private, max-age=300');
  assert.match(reply.headers.get('vary') ?? '', /Authorization, Cookie/);
  const link = reply.headers.get('location') ?? '';
  const image = await fetch(link);
  assert.equal(image.headers.get('content-type'), 'image/png');
  await image.arrayBuffer();
  const small = await ask(jobId, withKey(), '?w=256');
  assert.equal(small.headers.get('location'), `${link}&w=256`);
  for (const unheard of ['?w=300', '?format=jpeg', '?w=256&w=256'])
    assert.deepEqual(await codeOf(await ask(jobId, withKey(), unheard)), [422, 'invalid_request'], unheard);

  await world.elapse(3 * 24 * 60 * 60 * 1000);
  assert.equal((await fetch(link)).status, 403, 'the signed link has ended');
  const again = await ask(jobId, withKey());
  assert.equal((await fetch(again.headers.get('location') ?? '')).status, 200);
});

test('strangers get nothing: no key 401, keys of others and unknown jobs 404', async () => {
  const jobId = await makeImage();
  const { key } = await world.account('strangers');
  assert.deepEqual(await codeOf(await ask(jobId)), [401, 'key_missing']);
  assert.deepEqual(await codeOf(await ask(jobId, withKey('dk_wrong'))), [401, 'key_invalid']);
  assert.deepEqual(await codeOf(await ask(jobId, withKey(key))), [404, 'not_found']);
  assert.deepEqual(await codeOf(await ask('nonsense', withKey())), [404, 'not_found']);
  const refused = await ask(jobId, withKey(key));
  assert.equal(refused.headers.get('cache-control'), 'no-store');
});

test('a client token sees only the images that it made', async () => {
  const made = await world.send('POST', '/client-tokens', { body: { expires_in: 600 } });
  const token = String(made.body.token);
  const own = await world.create(undefined, {}, withKey(token));
  await world.finished(own);
  assert.equal((await ask(own, withKey(token))).status, 302);
  assert.equal((await ask(await makeImage(), withKey(token))).status, 404);
});

test('people see only their accounts’ images by their session', async () => {
  const jobId = await makeImage();
  const member = await openMember(world, { email: 'ada@example.com' });
  const path = `/jobs/${jobId}/image`;
  assert.equal((await member.send('GET', path)).status, 302);
  const { accountId } = await world.account('others');
  const other = await openMember(world, { email: 'bob@example.com', accountId });
  assert.equal((await other.send('GET', path)).status, 404);
  assert.equal((await new Browser(world).send('GET', path)).status, 401);
});

test('an image that is not made yet is 409, and one that is gone is 410, even once its job is gone', async () => {
  const held = Promise.withResolvers<void>();
  const { handler } = world.provider;
  world.provider.handler = async (request, signal) => {
    await held.promise;
    return handler(request, signal);
  };
  const running = await world.create();
  assert.deepEqual(await codeOf(await ask(running, withKey())), [409, 'job_not_finished']);
  held.resolve();
  await world.finished(running);
  world.provider.handler = handler;
  await world.send('DELETE', `/jobs/${running}/image`);
  assert.deepEqual(await codeOf(await ask(running, withKey())), [410, 'image_gone']);
  await expire(world.app, -1_000);
  assert.deepEqual(await codeOf(await ask(running, withKey())), [410, 'image_gone']);
  const { key } = await world.account('too late');
  assert.equal((await ask(running, withKey(key))).status, 404);
});

test('pages of allowed origins may follow it with a key', async () => {
  const jobId = await makeImage();
  const origin = 'https://app.example.com';
  const asked = await fetch(`${world.url}/jobs/${jobId}/image`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    },
  });
  assert.equal(asked.status, 204);
  assert.equal(asked.headers.get('access-control-allow-headers'), 'authorization');
  const reply = await ask(jobId, { ...withKey(), origin });
  assert.equal(reply.headers.get('access-control-allow-origin'), origin);
  assert.equal(reply.headers.get('access-control-allow-credentials'), null);
});
