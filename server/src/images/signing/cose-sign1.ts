import { constants, type KeyObject, sign } from 'node:crypto';

/** The algorithms that C2PA allows (13.2), with their numbers in COSE (RFC 9053) and their names in the library. */
const algorithms = {
  es256: { id: -7, hash: 'sha256', bytes: 64 },
  es384: { id: -35, hash: 'sha384', bytes: 96 },
  es512: { id: -36, hash: 'sha512', bytes: 132 },
  ps256: { id: -37, hash: 'sha256', bytes: 512 },
  ed25519: { id: -8, hash: null, bytes: 64 },
} as const;

export type Algorithm = keyof typeof algorithms;
export type Stamp = (bytes: Uint8Array) => Promise<Uint8Array>;

const curves: Record<string, Algorithm> = { prime256v1: 'es256', secp384r1: 'es384', secp521r1: 'es512' };

/** Undefined if C2PA does not allow the key. */
export function algorithmOf({
  asymmetricKeyType: type,
  asymmetricKeyDetails: details,
}: KeyObject): Algorithm | undefined {
  if (type === 'ec') return curves[details?.namedCurve ?? ''];
  if (type === 'rsa' || type === 'rsa-pss') return 'ps256';
  return type === 'ed25519' ? type : undefined;
}

interface Signing {
  algorithm: Algorithm;
  chain: readonly Buffer[];
}

/** The size limit of a time stamp token. With the certificates of common authorities, a token takes 3 to 7 kB. */
const tokenBytes = 10_000;
/** The size of CBOR heads, names and at least 256 bytes of padding. Shorter padding would have a shorter head. */
const headBytes = 600;

/** The size of the signature, which must fill exactly the bytes that the library reserves for it. */
export function reservedBytes({ algorithm, chain }: Signing, isStamped: boolean): number {
  const ofChain = chain.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return ofChain + algorithms[algorithm].bytes + headBytes + (isStamped ? tokenBytes : 0);
}

/** Signs a detached payload (RFC 9052, 9360) with a time stamp (C2PA 2.x, 10.3.2.5: `sigTst2`), padded to `size`. */
export async function signCose(
  payload: Uint8Array,
  { key, size, stamp, ...signing }: Signing & { key: KeyObject; size: number; stamp: Stamp | null },
): Promise<Buffer> {
  const { algorithm } = signing;
  const head = headFor(signing);
  const signature = bytesOf(
    sign(algorithms[algorithm].hash, list([text('Signature1'), head, bytesOf(nothing), bytesOf(payload)]), {
      key,
      dsaEncoding: 'ieee-p1363',
      ...(algorithm === 'ps256' && {
        padding: constants.RSA_PKCS1_PSS_PADDING,
        saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
      }),
    }),
  );
  const fields: [Buffer, Buffer][] = [];
  if (stamp) {
    const token = await stamp(list([text('CounterSignature'), head, bytesOf(nothing), bytesOf(signature)]));
    const tokens = list([map([[text('val'), bytesOf(token)]])]);
    fields.push([text('sigTst2'), map([[text('tstTokens'), tokens]])]);
  }
  return padded((padding) => sign1(head, map([...fields, [text('pad'), bytesOf(padding)]]), signature), size);
}

/** Whether our certificate signed. Validators use the first one in the protected header, where we write ours. */
export function isSignedBy(cose: Buffer, signing: Signing): boolean {
  const start = Buffer.concat([sign1Tag, headOf(4, 4), headFor(signing)]);
  return cose.subarray(0, start.byteLength).equals(start);
}

function headFor({ algorithm, chain }: Signing): Buffer {
  const certificates = chain.map(bytesOf);
  const [only] = certificates;
  const held = only && certificates.length === 1 ? only : list(certificates);
  return bytesOf(
    map([
      [number(1), number(algorithms[algorithm].id)],
      [number(33), held],
    ]),
  );
}

const nothing = Buffer.alloc(0);
const sign1Tag = Buffer.from([0xc0 | 18]);

function sign1(head: Buffer, fields: Buffer, signature: Buffer): Buffer {
  const noPayload = Buffer.from([0xf6]);
  return Buffer.concat([sign1Tag, list([head, fields, noPayload, signature])]);
}

/** The first padding is long enough that longer padding has a head of the same size. */
function padded(make: (padding: Buffer) => Buffer, size: number): Buffer {
  const least = 256;
  const missing = size - make(Buffer.alloc(least)).byteLength;
  if (missing < 0) throw new RangeError('the signature is longer than what is reserved for it');
  return make(Buffer.alloc(least + missing));
}

// The parts of CBOR (RFC 8949) that a signature needs.
const number = (value: number) => (value < 0 ? headOf(1, -1 - value) : headOf(0, value));
const bytesOf = (bytes: Uint8Array) => Buffer.concat([headOf(2, bytes.byteLength), bytes]);
const text = (value: string) => Buffer.concat([headOf(3, Buffer.byteLength(value)), Buffer.from(value)]);
const list = (items: Buffer[]) => Buffer.concat([headOf(4, items.length), ...items]);
const map = (pairs: [Buffer, Buffer][]) => Buffer.concat([headOf(5, pairs.length), ...pairs.flat()]);

function headOf(type: number, value: number): Buffer {
  const first = type << 5;
  if (value < 24) return Buffer.from([first | value]);
  if (value < 0x100) return Buffer.from([first | 24, value]);
  if (value < 0x1_0000) return Buffer.from([first | 25, value >> 8, value & 0xff]);
  const head = Buffer.alloc(5, first | 26);
  head.writeUInt32BE(value, 1);
  return head;
}
