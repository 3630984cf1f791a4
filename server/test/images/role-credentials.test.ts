import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { openStore } from '../../src/images/open-store.ts';
import { startAwsRoles } from '../emulators/aws-roles.ts';
import { openWorld } from '../world/world.ts';
import { putBytes } from './conformance.ts';
import { startFaulty, startS3 } from './s3-servers.ts';

const minutes = 60_000;

async function openPlace() {
  const stack = new AsyncDisposableStack();
  const s3 = stack.use(await startS3(['images']));
  const proxy = stack.use(await startFaulty(s3.endpoint));
  const roles = stack.use(await startAwsRoles());
  const sessions: unknown[] = [];
  proxy.fault = ({ headers }) => {
    sessions.push(headers['x-amz-security-token']);
    return false;
  };
  const env = { DARKROOM_STORAGE: `s3://images?endpoint=${proxy.endpoint}` };
  return {
    roles,
    sessions,
    instance: { ...env, AWS_EC2_METADATA_SERVICE_ENDPOINT: roles.url },
    container: { ...env, AWS_CONTAINER_CREDENTIALS_FULL_URI: `${roles.url}/container` },
    async store(vars: Record<string, string>) {
      const store = await openStore(readConfig({ ...env, ...vars }));
      stack.defer(() => store[Symbol.asyncDispose]?.());
      return store;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

test('on an instance with a role, jobs’ images are stored in the bucket although no key is set', async () => {
  await using place = await openPlace();
  await using world = await openWorld({ env: place.instance });
  const job = await world.finished(await world.create());
  const { image_url } = job.result as { image_url: string }; // a done job has a result
  assert.equal((await fetch(image_url)).status, 200);
  assert.equal(place.roles.lent, 1, 'credentials are kept while they are good');
  assert.deepEqual([...new Set(place.sessions)], ['session-1']);
});

test('a container gets credentials for its token, which is read from its file each time', async () => {
  await using place = await openPlace();
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-token-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'token');
  await writeFile(file, 'container-token\n');
  place.roles.lifetimeMs = 4 * minutes;
  const store = await place.store({ ...place.container, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file });
  await putBytes(store, 'a.png', Buffer.from('1'));
  place.roles.authorization = 'another-token';
  await writeFile(file, 'another-token\n');
  await putBytes(store, 'b.png', Buffer.from('2'));
  assert.deepEqual(place.sessions, ['session-1', 'session-2']);

  const wrong = await place.store({ ...place.container, AWS_CONTAINER_AUTHORIZATION_TOKEN: 'wrong' });
  await assert.rejects(putBytes(wrong, 'c.png', Buffer.from('3')), /credentials were refused \(401\)/);
});

test('credentials are renewed before they expire; while the old ones are valid, nothing waits for new ones', async () => {
  await using place = await openPlace();
  const { roles, sessions } = place;
  const store = await place.store(place.instance);
  roles.lifetimeMs = 4 * minutes; // within the five minutes in which Amazon already has new ones
  await putBytes(store, 'a.png', Buffer.from('1'));
  roles.isDown = true;
  await putBytes(store, 'b.png', Buffer.from('2'));
  assert.deepEqual(sessions, ['session-1', 'session-1']);

  roles.isDown = false;
  roles.lifetimeMs = 6 * 60 * minutes;
  const other = await place.store(place.instance);
  await Promise.all(['c', 'd', 'e'].map((name) => putBytes(other, `${name}.png`, Buffer.from(name))));
  assert.equal(roles.lent, 2, 'requests at once ask once');
});

test('configured keys, with their session token, come first, and no credentials are requested', async () => {
  await using place = await openPlace();
  const keys = {
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
    AWS_SESSION_TOKEN: 'of-a-person',
  };
  const store = await place.store({ ...place.instance, ...keys });
  await putBytes(store, 'a.png', Buffer.from('1'));
  assert.deepEqual([place.sessions, place.roles.lent], [['of-a-person'], 0]);
});

test('without credentials, the sentence says what to set, and that profiles are not read', async () => {
  await using place = await openPlace();
  const nowhere = { AWS_EC2_METADATA_SERVICE_ENDPOINT: 'http://127.0.0.1:9', AWS_PROFILE: 'images' };
  const store = await place.store(nowhere);
  await assert.rejects(
    putBytes(store, 'a.png', Buffer.from('1')),
    /AWS_ACCESS_KEY_ID.*profiles.*are not read/,
  );
  const wrong: Record<string, RegExp>[] = [
    { AWS_ACCESS_KEY_ID: /must be set together/ },
    { AWS_EC2_METADATA_DISABLED: /there are no credentials for the S3 bucket/ },
    { AWS_CONTAINER_CREDENTIALS_FULL_URI: /must start with https/ },
  ];
  const values = ['half', 'true', 'http://10.0.0.1/credentials'];
  for (const [index, one] of wrong.entries()) {
    const [[name, message] = ['', /./]] = Object.entries(one);
    assert.throws(() => readConfig({ DARKROOM_STORAGE: 's3://images', [name]: values[index] }), message);
  }
});
