import { hkdfSync } from 'node:crypto';

/**
 * Keys only for cookies and authenticators, one derived from each secret. The first one signs and encrypts; others only
 * verify and decrypt.
 */
export type AuthKeys = readonly [current: string, ...older: string[]];

export function deriveAuthKeys([current, ...older]: readonly string[]): AuthKeys {
  if (!current) throw new TypeError('signing in needs a secret');
  return [derive(current), ...older.map(derive)];
}

function derive(secret: string): string {
  return Buffer.from(hkdfSync('sha256', secret, '', 'darkroom panel sessions', 32)).toString('base64url');
}
