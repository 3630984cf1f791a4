import { createHash, generateKeyPairSync, type KeyObject, sign, X509Certificate } from 'node:crypto';

export interface Certificate {
  cert: string;
  key: string;
}

/** A certificate authority that lives as long as the test, and certificates it signs. */
export function makeAuthority(): {
  ca: string;
  issue(name: string, options?: { expired?: boolean }): Certificate;
} {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ca = signed({
    subject: 'Test authority',
    issuer: 'Test authority',
    key: pair.publicKey,
    by: pair.privateKey,
    isCa: true,
  });
  return {
    ca,
    issue(name, { expired = false } = {}) {
      const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const cert = signed({
        subject: name,
        issuer: 'Test authority',
        key: own.publicKey,
        by: pair.privateKey,
        isCa: false,
        expired,
      });
      return { cert, key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
    },
  };
}

interface Wanted {
  subject: string;
  issuer: string;
  key: KeyObject;
  by: KeyObject;
  isCa: boolean;
  expired?: boolean;
}

const dayMs = 86_400_000;

/** X.509 version 3 in DER, as RFC 5280 specifies. */
function signed({ subject, issuer, key, by, isCa, expired = false }: Wanted): string {
  const publicKey = key.export({ type: 'spki', format: 'der' });
  const now = Date.now();
  const until = expired ? now - dayMs : now + dayMs;
  const basic = extension('551d13', sequence(isCa ? tagged(0x01, Buffer.from([0xff])) : Buffer.alloc(0)));
  const names = extension('551d11', sequence(tagged(0x82, Buffer.from(subject))));
  const body = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, createHash('sha256').update(publicKey).digest().fill(1, 0, 1).subarray(0, 8)),
    ecdsaWithSha256,
    commonName(issuer),
    sequence(time(now - 2 * dayMs), time(until)),
    commonName(subject),
    publicKey,
    tagged(0xa3, sequence(basic, ...(isCa ? [] : [names]))),
  );
  const signature = tagged(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, by)]));
  return new X509Certificate(sequence(body, ecdsaWithSha256, signature)).toString();
}

function tagged(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Buffer[]) => tagged(0x30, ...parts);
const objectId = (hex: string) => tagged(0x06, Buffer.from(hex, 'hex'));
const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'));
const extension = (id: string, value: Buffer) => sequence(objectId(id), tagged(0x04, value));

function commonName(name: string): Buffer {
  return sequence(tagged(0x31, sequence(objectId('550403'), tagged(0x0c, Buffer.from(name)))));
}

function time(ms: number): Buffer {
  const text = new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '');
  return tagged(0x18, Buffer.from(text));
}
