import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

// Imported only by what runs tests: the program itself has no setting that would weaken passwords. A hash takes 60
// ms of processor, and the tests make hundreds. `password-cost.test.ts` checks the true cost.

const { scrypt } = crypto;

/** Uses the cheapest parameters, whatever the caller passes. */
crypto.scrypt = (password, salt, length, ...rest: unknown[]) => {
  const callback = rest.at(-1) as (error: Error | null, key: Buffer) => void; // the last, with and without options
  scrypt(password, salt, length, { N: 2, r: 1, p: 1 }, callback);
};
syncBuiltinESMExports();
