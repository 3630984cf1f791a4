import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

// Makes passwords cheap to hash in tests. A hash takes 60 ms of processor time, and tests make hundreds. Only programs
// that run tests import this file. It is not a setting, because no setting of the server may weaken passwords.
// `password-cost.test.ts` checks the real cost.

const { scrypt } = crypto;

crypto.scrypt = (password, salt, length, ...rest: unknown[]) => {
  const callback = rest.at(-1) as (error: Error | null, key: Buffer) => void; // the last parameter, with and without options
  scrypt(password, salt, length, { N: 2, r: 1, p: 1 }, callback);
};
syncBuiltinESMExports();
