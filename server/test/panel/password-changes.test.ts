import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { test } from 'node:test';
import { openWorld } from '../world/world.ts';
import { Browser, openMember, password } from './browser.ts';

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
