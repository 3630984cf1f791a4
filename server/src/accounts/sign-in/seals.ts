import { newToken } from '../../base/std/ids.ts';
import { createSigner } from '../../base/std/sealing/create-signer.ts';

export interface Seals {
  /** Returns a random value that is valid only for `who`. */
  make(purpose: Purpose, who: string): string;
  /** Returns the value's id if it was made for `who`; otherwise null. */
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
