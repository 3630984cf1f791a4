import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { test } from 'node:test';
import { openWorld } from '../world/world.ts';
import { Browser, openMember, password } from './browser.ts';
import { addAuthenticator } from './support/authenticator.ts';

const email = 'ada@example.com';
const newPassword = 'a kettle beside the harbour';
const change = { body: { password: newPassword, current_password: password } };
const credentials = 'POST /panel/session/credentials';

/** Holds the next check of a password, until it is ended. */
function holdPasswordCheck() {
  const { scrypt } = crypto;
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const replace = (next: typeof scrypt) => {
    crypto.scrypt = next;
    syncBuiltinESMExports();
  };
  replace(((...args: Parameters<typeof scrypt>) => {
    replace(scrypt);
    begun.resolve();
    held.promise.then(() => scrypt(...args));
  }) as typeof scrypt); // the overloads differ only in their optional parameter
  return { begun: begun.promise, end: held.resolve };
}

test('a sign-in that is under way with a password while its person replaces it is refused', async () => {
  await using world = await openWorld();
  const ada = await openMember(world, { email });
  const intruder = new Browser(world);
  const check = holdPasswordCheck();
  const signingIn = intruder.try('POST /panel/sign-in', { body: { email, password } });
  await check.begun;
  await ada.call(credentials, change);
  check.end();
  assert.equal((await signingIn).status, 401);
  assert.equal((await intruder.try('GET /panel/session')).status, 401);
});

test('a new password that is under way in a session while its person ends that session is refused', async () => {
  await using world = await openWorld();
  const ada = await openMember(world, { email });
  const intruder = new Browser(world);
  await intruder.call('POST /panel/sign-in', { body: { email, password } });
  const check = holdPasswordCheck();
  const body = { password: 'seven lanterns hum quietly', current_password: password };
  const changing = intruder.try(credentials, { body });
  await check.begun;
  await ada.call(credentials, change);
  check.end();
  assert.equal((await changing).status, 401);
  const own = { email, password: newPassword };
  assert.equal((await new Browser(world).try('POST /panel/sign-in', { body: own })).status, 200);
});

test('an authenticator stays that is being removed in a session while its person ends that session', async () => {
  await using world = await openWorld();
  const ada = await openMember(world, { email });
  const { code } = await addAuthenticator(ada);
  const intruder = new Browser(world);
  await intruder.call('POST /panel/sign-in', { body: { email, password } });
  await intruder.call('POST /panel/sign-in/code', { body: { code: code() } });
  const check = holdPasswordCheck();
  const removing = intruder.try('POST /panel/session/authenticator/remove', { body: { password } });
  await check.begun;
  await ada.call(credentials, change);
  check.end();
  assert.equal((await removing).status, 401);
  assert.equal((await intruder.try('GET /panel/session')).status, 401);
  assert.equal((await ada.call('GET /panel/session')).has_authenticator, true);
});
