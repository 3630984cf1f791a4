import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';

const prefixes = { entry: 'ent', delivery: 'dlv', audit: 'aud' } as const;
export type NumberedKind = keyof typeof prefixes;

/** Hides the numbers of rows in ids. All accounts' rows are numbered together, which reveals how active others are. */
export interface OpaqueIds {
  seal(kind: NumberedKind, number: number): string;
  /** Returns undefined for text that is not an id of this kind. */
  open(kind: NumberedKind, id: string): number | undefined;
}

// Each id is a single block, encrypted under a key that is used for nothing else, so the mode does not matter.
const cipher = 'aes-256-ecb';
const halfBytes = 8;
const purpose = 'darkroom ids';

export function createOpaqueIds(key: string): OpaqueIds {
  const bytes = Buffer.from(hkdfSync('sha256', key, '', purpose, 32));
  // The cipher objects can be reused for ever: without padding, they return every block immediately.
  const sealing = createCipheriv(cipher, bytes, null).setAutoPadding(false);
  const opening = createDecipheriv(cipher, bytes, null).setAutoPadding(false);
  return {
    seal(kind, number) {
      const block = kindBlock(kind);
      block.writeBigUInt64BE(BigInt(number), halfBytes);
      return `${prefixes[kind]}_${sealing.update(block).toString('hex')}`;
    },
    open(kind, id) {
      const [, hex] = /^[a-z]{3}_([0-9a-f]{32})$/.exec(id) ?? [];
      if (hex === undefined || !id.startsWith(prefixes[kind])) return undefined;
      const block = opening.update(Buffer.from(hex, 'hex'));
      const isOurs = block.subarray(0, halfBytes).equals(kindBlock(kind).subarray(0, halfBytes));
      return isOurs ? Number(block.readBigUInt64BE(halfBytes)) : undefined;
    },
  };
}

function kindBlock(kind: NumberedKind): Buffer {
  const block = Buffer.alloc(2 * halfBytes);
  block.write(kind);
  return block;
}

export function idPattern(kind: NumberedKind): string {
  return `^${prefixes[kind]}_[0-9a-f]{32}$`;
}
