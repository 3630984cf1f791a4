import { createHmac } from 'node:crypto';
import { type Browser, password } from '../browser.ts';

const confirmation = 'POST /panel/session/authenticator/confirm';

/**
 * Sets up an authenticator and confirms it. Returns its further codes, and its backup codes. Each call returns a new
 * code, because a code works only once; the server accepts the next one half a minute early.
 */
export async function addAuthenticator(
  browser: Browser,
  confirm = (options: { body: { code: string } }): Promise<unknown> => browser.call(confirmation, options),
): Promise<{ code(): string; last(): string; backupCodes: string[] }> {
  const made = await browser.call('POST /panel/session/authenticator', { body: { password } });
  const secret = new URL(made.uri).searchParams.get('secret') ?? '';
  const code = createCodes(secret, () => browser.nowMs());
  let last = code();
  await confirm({ body: { code: last } });
  return {
    code() {
      last = code();
      return last;
    },
    last: () => last,
    backupCodes: made.backup_codes,
  };
}

/** An app's codes, without repetition. */
export function createCodes(secret: string, nowMs = () => Date.now()): () => string {
  let step = 0;
  return () => {
    step = Math.max(step + 1, Math.floor(nowMs() / 30_000));
    return totp(secret, step);
  };
}

/** RFC 6238 with the usual numbers: SHA-1, 30 seconds, six digits. */
function totp(secret: string, step: number): string {
  const bits = [...secret]
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', key).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}
