import type { AltchaChallenge } from '@darkroom/server/panel-contract';
import { t } from '../../languages/words.ts';

/** How many keys are derived at the same time. Browsers derive them on several processors, outside this thread. */
const atOnce = 8;
const counterBytes = 4;

/** Tries counters until a derived key begins with the challenge's prefix, which proves work. */
export async function solveAltcha(challenge: AltchaChallenge): Promise<string> {
  const { nonce, salt, cost, keyLength, keyPrefix } = challenge.parameters;
  // Browsers offer no `crypto.subtle` on pages loaded over http.
  if (!crypto.subtle)
    throw new Error(t('This form works over https alone. Open the page at its https address.'));
  const derive = async (counter: number) => {
    const password = new Uint8Array([...fromHex(nonce), ...Array<number>(counterBytes).fill(0)]);
    new DataView(password.buffer).setUint32(password.length - counterBytes, counter);
    const key = await crypto.subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits']);
    const work = { name: 'PBKDF2', hash: 'SHA-256', salt: fromHex(salt), iterations: cost };
    return { counter, derivedKey: toHex(await crypto.subtle.deriveBits(work, key, keyLength * 8)) };
  };
  for (let first = 0; ; first += atOnce) {
    const tried = await Promise.all(Array.from({ length: atOnce }, (_, nth) => derive(first + nth)));
    const solution = tried.find(({ derivedKey }) => derivedKey.startsWith(keyPrefix));
    if (solution) return btoa(JSON.stringify({ challenge, solution }));
  }
}

function fromHex(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function toHex(bytes: ArrayBuffer): string {
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
