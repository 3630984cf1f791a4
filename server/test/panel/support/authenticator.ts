import { createHmac } from 'node:crypto';
import { type Browser, password } from '../browser.ts';

const confirmation = 'POST /panel/session/authenticator/confirm';

/** Sets an authenticator up and confirms it: its codes from now on, and its backup codes. */
export async function addAuthenticator(
  browser: Browser,
  confirm = (options: { body: { code: string } }): Promise<unknown> => browser.call(confirmation, options),
): Promise<{ code(): string; backupCodes: string[] }> {
  const made = await browser.call('POST /panel/session/authenticator', { body: { password } });
  const secret = new URL(made.uri).searchParams.get('secret') ?? '';
  const code = () => totp(secret);
  await confirm({ body: { code: code() } });
  return { code, backupCodes: made.backup_codes };
}

/** RFC 6238 with the usual numbers: SHA-1, 30 seconds, six digits. */
export function totp(secret: string): string {
  const bits = [...secret]
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const mac = createHmac('sha1', key).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}
