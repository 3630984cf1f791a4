import { decodeAttestationObject } from '@simplewebauthn/server/helpers';

/**
 * Removes the manufacturer's statement. To check it, the library would fetch URLs that the statement's author chose.
 * @param attestation CBOR, base64url
 * @throws Error if `attestation` does not describe a new key
 */
export function withoutStatement(attestation: string): string {
  const data = decodeAttestationObject(Buffer.from(attestation, 'base64url')).get('authData');
  const length = Buffer.from([byteString, data.length >> 8, data.length & 0xff]);
  return Buffer.concat([head, length, data]).toString('base64url');
}

/** The CBOR header of a byte string whose length takes two bytes. */
const byteString = 0x59;
/** CBOR for `{ fmt: 'none', attStmt: {}, authData: …`. */
const head = Buffer.from('\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData', 'latin1');
