import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

/** Encrypts texts for the database, so that a copy of the database does not reveal them. */
export interface Sealer {
  /** The ids of the key that seals and of all keys that open. They reveal nothing about the secrets. */
  keyIds: readonly [current: string, ...older: string[]];
  currentPrefix: string;
  /** `owner` is needed again to open the text, so a sealed text does not work in another row. */
  seal(text: string, owner: string): string;
  /** Returns undefined if no secret opens the text. */
  open(sealed: string, owner: string): string | undefined;
}

const version = 'v1';
const cipher = 'aes-256-gcm';
// GCM's usual nonce size. Random nonces are safe for up to 2^32 seals per key; there are far fewer secrets.
const nonceBytes = 12;
const tagBytes = 16;
const sealedPattern = /^v1\.([0-9a-f]{8})\.([A-Za-z0-9_-]+)$/;

/** The first secret seals, and all of them open. `purpose` derives separate keys from one secret. */
export function createSealer(secrets: readonly string[], purpose: string): Sealer {
  const [current, ...older] = secrets.map((secret) => deriveKey(secret, purpose));
  if (!current) throw new TypeError('sealing needs a secret');
  const keys = new Map([current, ...older].map(({ id, key }) => [id, key]));
  const currentPrefix = `${version}.${current.id}.`;
  return {
    keyIds: [current.id, ...older.map(({ id }) => id)],
    currentPrefix,
    seal(text, owner) {
      const nonce = randomBytes(nonceBytes);
      const seal = createCipheriv(cipher, current.key, nonce).setAAD(Buffer.from(owner));
      const body = Buffer.concat([nonce, seal.update(text, 'utf8'), seal.final(), seal.getAuthTag()]);
      return currentPrefix + body.toString('base64url');
    },
    open(sealed, owner) {
      const [, id = '', encoded = ''] = sealedPattern.exec(sealed) ?? [];
      const key = keys.get(id);
      const body = Buffer.from(encoded, 'base64url');
      if (!key || body.length < nonceBytes + tagBytes) return undefined;
      const open = createDecipheriv(cipher, key, body.subarray(0, nonceBytes), { authTagLength: tagBytes })
        .setAAD(Buffer.from(owner))
        .setAuthTag(body.subarray(-tagBytes));
      try {
        return open.update(body.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + open.final('utf8');
      } catch {
        return undefined; // altered, or sealed for another owner
      }
    },
  };
}

export function deriveKey(secret: string, purpose: string): { id: string; key: KeyObject } {
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
  return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 8), key: createSecretKey(bytes) };
}
