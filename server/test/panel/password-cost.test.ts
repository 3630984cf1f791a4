import assert from 'node:assert/strict';
import crypto, { scryptSync } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { test } from 'node:test';
import { hashNewPassword, isPassword } from '../../src/accounts/people/password.ts';
import { password } from './browser.ts';

// better-auth's own choice: 32 MB for each hash.
const cost = { N: 2 ** 14, r: 16, p: 1, maxmem: 2 ** 26 };

test('a password is hashed with scrypt at its real cost, and so is every tried one, even for unknown people', async () => {
  const { scrypt } = crypto;
  const asked: unknown[] = [];
  // npm test makes hashes cheap (scripts/testing/cheap-passwords.ts); this test uses the real cost.
  crypto.scrypt = (text, salt, length, ...rest: unknown[]) => {
    const [options, callback] = rest as [typeof cost, (error: null, key: Buffer) => void]; // better-auth's form of the call
    asked.push(options);
    callback(null, scryptSync(text, salt, length, options));
  };
  syncBuiltinESMExports();
  try {
    const hash = await hashNewPassword(password, { name: 'Grace', email: null });
    const [salt = '', key] = hash.split(':');
    assert.equal(scryptSync(password, salt, 64, cost).toString('hex'), key);
    assert.equal(await isPassword(password, hash), true);
    assert.equal(await isPassword(`${password}!`, hash), false);
    assert.equal(await isPassword(password, null), false);
    assert.deepEqual(asked, Array(4).fill(cost));
  } finally {
    crypto.scrypt = scrypt;
    syncBuiltinESMExports();
  }
});
