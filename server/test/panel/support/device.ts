import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

interface Asked {
  challenge: string;
}

export interface Lie {
  origin?: string;
  host?: string;
  isLocked?: boolean;
  uses?: number;
  statement?: 'fido-u2f';
}

const present = 0x01;
const verified = 0x04;
const withKey = 0x40;

/**
 * A device with one passkey (WebAuthn level 3, ES256, without attestation); its answers have the form in
 * which a browser passes them on.
 */
export function openDevice(address: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(32);
  const { hostname, origin } = new URL(address);

  const clientData = (type: string, { challenge }: Asked, lie: Lie) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: lie.origin ?? origin, crossOrigin: false }));

  const head = (flags: number, { host = hostname, isLocked = false, uses = 0 }: Lie) => {
    const made = Buffer.alloc(37);
    createHash('sha256').update(host).digest().copy(made);
    made[32] = flags | present | (isLocked ? 0 : verified);
    made.writeUInt32BE(uses, 33);
    return made;
  };

  return {
    create(asked: Asked, lie: Lie = {}) {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const data = Buffer.concat([head(withKey, lie), Buffer.alloc(16), length, id, coseKey(publicKey)]);
      return {
        credential_id: id.toString('base64url'),
        client_data: clientData('webauthn.create', asked, lie).toString('base64url'),
        attestation: attestationOf(data, lie.statement).toString('base64url'),
      };
    },
    get(asked: Asked, lie: Lie = {}) {
      const client = clientData('webauthn.get', asked, lie);
      const data = head(0, lie);
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
      return {
        credential_id: id.toString('base64url'),
        client_data: client.toString('base64url'),
        authenticator_data: data.toString('base64url'),
        signature: sign('sha256', signed, privateKey).toString('base64url'),
      };
    },
  };
}

/** CBOR: a map of key type, algorithm, curve, x and y. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const bytes = (text: string) => Buffer.concat([Buffer.from([0x58, 32]), Buffer.from(text, 'base64url')]);
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    bytes(x),
    Buffer.from([0x22]),
    bytes(y),
  ]);
}

/** CBOR: a map of `fmt`, `attStmt` and `authData`. */
function attestationOf(data: Buffer, format = 'none'): Buffer {
  const length = Buffer.from([0x59, data.length >> 8, data.length & 0xff]);
  const text = (value: string) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
  return Buffer.concat([
    Buffer.from([0xa3]),
    ...[text('fmt'), text(format), text('attStmt'), Buffer.from([0xa0]), text('authData'), length, data],
  ]);
}
