import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';

export interface TextSigner {
  /** Base64url. */
  sign(parts: readonly string[]): string;
  isRight(signature: string, parts: readonly string[]): boolean;
}

/**
 * The first secret signs, and all of them verify.
 * @param use what the signatures are for: a signature for one use is invalid for another
 */
export function createSigner(secrets: readonly string[], use: string): TextSigner {
  const keys = secrets.map((secret) => createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', use, 32))));
  const [current] = keys;
  if (!current) throw new TypeError(`signing needs a secret: ${use}`);
  return {
    sign: (parts) => signWith(current, parts),
    isRight(signature, parts) {
      const given = Buffer.from(signature);
      return keys.some((key) => {
        const expected = Buffer.from(signWith(key, parts));
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
    },
  };
}

function signWith(key: KeyObject, parts: readonly string[]): string {
  return createHmac('sha256', key).update(parts.join('\n')).digest('base64url');
}
