import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { bits, boolean, field, integer, octets, oid, sequence, set, text, time } from './der.ts';

/** The certificate's purposes (C2PA 2.x, 14.5.1): `c2pa-kp-claimSigning`, and email protection for older validators. */
const purposes = ['1.3.6.1.4.1.62558.2.1', '1.3.6.1.5.5.7.3.4'];

const dayMs = 24 * 60 * 60 * 1000;
/** How long before now a new certificate becomes valid, because another machine's clock may be behind. */
const backdatedMs = 60 * 60 * 1000;
const ecdsaWithSha256 = sequence(oid('1.2.840.10045.4.3.2'));

/** Makes a key for ECDSA over P-256, which every validator knows. */
export function makeKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

export function keyPem(key: KeyObject): string {
  return String(key.export({ type: 'pkcs8', format: 'pem' }));
}

/** Returns a certificate request (PKCS #10) as PEM. `spki` is the public key. */
export function makeRequest(key: KeyObject, spki: Buffer, name: string): string {
  const extensionRequest = oid('1.2.840.113549.1.9.14');
  const wanted = field(0, sequence(extensionRequest, set(sequence(...usageOf()))));
  return pem('CERTIFICATE REQUEST', signed(sequence(integer(0), nameOf(name), spki, wanted), key));
}

/** Returns PEM. Validators find signatures by this certificate valid, but do not trust them. */
export function makeSelfSigned(
  key: KeyObject,
  spki: Buffer,
  { name, nowMs, days }: { name: string; nowMs: number; days: number },
): string {
  // A positive number that differs from all other certificates'.
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const keyId = createHash('sha256').update(spki).digest().subarray(0, 20);
  const body = sequence(
    field(0, integer(2)),
    integer(serial),
    ecdsaWithSha256,
    nameOf(name),
    sequence(time(nowMs - backdatedMs), time(nowMs + days * dayMs)),
    nameOf(name),
    spki,
    field(
      3,
      sequence(
        ...usageOf(),
        extension('2.5.29.14', octets(keyId)),
        extension('2.5.29.35', sequence(contextual(keyId))),
      ),
    ),
  );
  return pem('CERTIFICATE', signed(body, key));
}

function usageOf(): Buffer[] {
  return [
    extension('2.5.29.19', sequence(), true),
    extension('2.5.29.15', bits(Buffer.from([0x80]), 7), true),
    extension('2.5.29.37', sequence(...purposes.map(oid))),
  ];
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(oid(id), ...(critical ? [boolean(true)] : []), octets(value));
}

function contextual(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x80, bytes.length]), bytes]);
}

function nameOf(name: string): Buffer {
  const commonName = oid('2.5.4.3');
  const organisation = oid('2.5.4.10');
  return sequence(set(sequence(organisation, text(name))), set(sequence(commonName, text(name))));
}

function signed(body: Buffer, key: KeyObject): Buffer {
  return sequence(body, ecdsaWithSha256, bits(sign('sha256', body, key)));
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
