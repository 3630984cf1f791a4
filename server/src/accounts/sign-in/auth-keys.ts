import { hkdfSync } from 'node:crypto';

/**
 * Keys with which the sign-in library signs cookies and encrypts authenticators, one derived from each
 * secret, in the same order: the first signs and encrypts, the others only verify and decrypt. Derived keys
 * cannot be used for another purpose.
 */
export type AuthKeys = readonly [current: string, ...older: string[]];

export function deriveAuthKeys([current, ...older]: readonly string[]): AuthKeys {
  if (!current) throw new TypeError('signing in needs a secret');
  return [derive(current), ...older.map(derive)];
}

function derive(secret: string): string {
  return Buffer.from(hkdfSync('sha256', secret, '', 'darkroom panel sessions', 32)).toString('base64url');
}
