import { hkdfSync } from 'node:crypto';

/**
 * What the sign-in library signs cookies with and encrypts authenticators under, one key for each secret, in their
 * order: the first makes what is new, the others open what is older. Derived, so that they open nothing else.
 */
export type AuthKeys = readonly [current: string, ...older: string[]];

export function deriveAuthKeys([current, ...older]: readonly string[]): AuthKeys {
  if (!current) throw new TypeError('signing in needs a secret');
  return [derive(current), ...older.map(derive)];
}

function derive(secret: string): string {
  return Buffer.from(hkdfSync('sha256', secret, '', 'darkroom panel sessions', 32)).toString('base64url');
}
