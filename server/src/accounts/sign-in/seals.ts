import { newToken } from '../../base/std/ids.ts';
import { createSigner } from '../../base/std/sealing/create-signer.ts';

/** Makes and verifies signed cookies. */
export interface Seals {
  /** A random value, valid for `who` alone. */
  make(purpose: Purpose, who: string): string;
  /** The value's own id when it was made for `who`, else null. */
  open(purpose: Purpose, value: string | undefined, who: string): string | null;
}

type Purpose = 'device' | 'code' | 'passkey' | 'stranger';

export function createSeals(secrets: readonly string[]): Seals {
  const signer = createSigner(secrets, 'darkroom panel cookies');
  return {
    make(purpose, who) {
      const id = newToken(16);
      return `${id}.${signer.sign([purpose, who, id])}`;
    },
    open(purpose, value = '', who) {
      const [id = '', signature = ''] = value.split('.');
      return id !== '' && signer.isRight(signature, [purpose, who, id]) ? id : null;
    },
  };
}
