import { createHmac, createSecretKey, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/** Cookies that only we can have written. */
export interface Seals {
  /** A value that says nothing but is good for `who`. */
  make(purpose: 'device', who: string): string;
  /** The value's own id when it was made for `who`; else null. */
  open(purpose: 'device', value: string | undefined, who: string): string | null;
  /** A value that carries `who`. */
  carry(purpose: 'code', who: string): string;
  openAny(purpose: 'code', value: string | undefined): string | null;
}

export function createSeals(secret: string): Seals {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'darkroom panel cookies', 32)));
  const sign = (...parts: string[]) => createHmac('sha256', key).update(parts.join('\n')).digest('base64url');
  const isRight = (signature: string, ...parts: string[]) => {
    const expected = Buffer.from(sign(...parts));
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
  return {
    make(purpose, who) {
      const id = randomBytes(16).toString('base64url');
      return `${id}.${sign(purpose, who, id)}`;
    },
    open(purpose, value = '', who) {
      const [id = '', signature = ''] = value.split('.');
      return id !== '' && isRight(signature, purpose, who, id) ? id : null;
    },
    carry(purpose, who) {
      return `${Buffer.from(who).toString('base64url')}.${sign(purpose, who)}`;
    },
    openAny(purpose, value = '') {
      const [encoded = '', signature = ''] = value.split('.');
      const who = Buffer.from(encoded, 'base64url').toString();
      return who !== '' && isRight(signature, purpose, who) ? who : null;
    },
  };
}
