import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { newToken } from '../../base/std/ids.ts';

/** Makes and verifies signed cookies. */
export interface Seals {
  /** A random value, valid for `who` alone. */
  make(purpose: Purpose, who: string): string;
  /** The value's own id when it was made for `who`, else null. */
  open(purpose: Purpose, value: string | undefined, who: string): string | null;
}

type Purpose = 'device' | 'code' | 'passkey';

/** The first secret signs; all of them verify. */
export function createSeals([current, ...older]: readonly string[]): Seals {
  if (!current) throw new TypeError('sealing cookies needs a secret');
  const key = deriveKey(current);
  const keys = [key, ...older.map(deriveKey)];
  const sign = (...parts: string[]) => signWith(key, parts);
  const isRight = (signature: string, ...parts: string[]) => {
    const given = Buffer.from(signature);
    return keys.some((one) => {
      const expected = Buffer.from(signWith(one, parts));
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  };
  return {
    make(purpose, who) {
      const id = newToken(16);
      return `${id}.${sign(purpose, who, id)}`;
    },
    open(purpose, value = '', who) {
      const [id = '', signature = ''] = value.split('.');
      return id !== '' && isRight(signature, purpose, who, id) ? id : null;
    },
  };
}

function deriveKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'darkroom panel cookies', 32)));
}

function signWith(key: KeyObject, parts: readonly string[]): string {
  return createHmac('sha256', key).update(parts.join('\n')).digest('base64url');
}
