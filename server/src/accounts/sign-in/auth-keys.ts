import { hkdfSync } from 'node:crypto';

/** Keys for cookies and authenticators, one per secret. Only the first signs and encrypts; older ones only read. */
export type AuthKeys = readonly [current: string, ...older: string[]];

export function deriveAuthKeys([current, ...older]: readonly string[]): AuthKeys {
  if (!current) throw new TypeError('signing in needs a secret');
  return [derive(current), ...older.map(derive)];
}

function derive(secret: string): string {
  return Buffer.from(hkdfSync('sha256', secret, '', 'darkroom panel sessions', 32)).toString('base64url');
}
