import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { openWorld } from '../world/world.ts';
import { Browser, openMember, openOperator, password, tokenOf } from './browser.ts';

const email = 'grace.hopper@navy.example';

const common = [
  ...[
    '1234567890',
    'qwertyuiop',
    'password123',
    'Password123!',
    'PASSWORD2026',
    '!!dragonball99',
    'letmein12345',
  ],
  ...['1111111111', 'abcabcabcabc', 'qwertyqwerty', 'ILoveYou!ILoveYou!', '0000000000', 'fqRg7CS493'],
  ...['darkroom2026!', 'darkroomdarkroom', 'gracegrace1', 'Hopper1906!', 'grace.hopper1', email],
];
const uncommon = [
  ...[
    'correct horse battery',
    'kSh3-vp9q-Lw27',
    'the grace of a hopper',
    'ein Kamel im Keller',
    'мой дом у моря',
  ],
  ...['aaaaaaaaabcdefghijk', '7306194825', `${'x y '.repeat(49)}end`],
];

suite('new passwords', () => {
  test('those that attackers try first are refused, in an invitation and in the profile, and others are not', async () => {
    await using world = await openWorld();
    const operator = await openOperator(world);
    const { url } = await operator.call('POST /api/v1/invitations', { body: {} });
    const newcomer = { token: tokenOf(url), name: 'Grace Hopper', email };
    const grace = new Browser(world);
    for (const text of common) {
      const reply = await grace.try('POST /panel/links/open', { body: { ...newcomer, password: text } });
      const [error] = (reply.body.errors ?? []) as { pointer: string; detail: string }[];
      assert.deepEqual([reply.status, error?.pointer], [422, '/password'], text);
      assert.match(error?.detail ?? '', /among the first that an attacker tries/);
    }
    await grace.call('POST /panel/links/open', { body: { ...newcomer, password } });
    for (const text of common) {
      const body = { password: text, current_password: password };
      assert.equal((await grace.try('POST /panel/session/credentials', { body })).status, 422, text);
    }
    let current = password;
    for (const text of uncommon) {
      const body = { password: text, current_password: current };
      await grace.call('POST /panel/session/credentials', { body });
      current = text;
    }
    const signedIn = await new Browser(world).try('POST /panel/sign-in', {
      body: { email, password: current },
    });
    assert.equal(signedIn.status, 200, 'spaces, signs and all of its 199 characters count');
  });

  test('a password is compared with the name after the change', async () => {
    await using world = await openWorld();
    const ada = await openMember(world, { email: 'ada@example.com' });
    const body = { name: 'Wintermute', password: 'wintermute!!', current_password: password };
    assert.equal((await ada.try('POST /panel/session/credentials', { body })).status, 422);
  });
});
