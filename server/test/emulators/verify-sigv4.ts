import { createHash, createHmac } from 'node:crypto';
import type { Recorded } from './emulator.ts';

interface Signer {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
  service: string;
}

/** Amazon refuses requests that are older. */
const maxAgeMs = 15 * 60 * 1000;

/**
 * Finds the fault in a signature. Follows Amazon's description of Signature Version 4, not the library that signs:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function findSignatureFault(request: Recorded, signer: Signer): string | undefined {
  const { authorization = '', 'x-amz-date': time = '' } = request.headers;
  const [, id, scope, signed = '', signature] =
    authorization.match(
      /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/,
    ) ?? [];
  if (!signature) return 'no signature';
  if (id !== signer.accessKeyId) return 'an unknown access key';
  const [day, ...rest] = String(scope).split('/');
  if (rest.join('/') !== `${signer.region}/${signer.service}/aws4_request`) return `the scope ${scope}`;
  const at = Date.parse(String(time).replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
  if (!String(time).startsWith(String(day)) || !(Math.abs(Date.now() - at) < maxAgeMs))
    return `the time ${time}`;
  const names = signed.split(';');
  for (const name of ['host', 'x-amz-date']) if (!names.includes(name)) return `${name} is not signed`;
  const told = request.headers['x-amz-content-sha256'];
  const hash = sha256(request.body);
  if (told !== undefined && told !== hash) return 'another body';
  const canonical = canonicalRequest(request, names, hash);
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = [day, signer.region, signer.service, 'aws4_request'].reduce<Buffer | string>(
    (last, part) => hmac(last, String(part)),
    `AWS4${signer.secretAccessKey}`,
  );
  return hmac(key, text).toString('hex') === signature ? undefined : 'another signature';
}

function canonicalRequest({ method, path, query, headers }: Recorded, names: string[], hash: string): string {
  // The path as sent, encoded once more.
  const address = path.split('/').map(encode).join('/');
  const search = [...query]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join('&');
  const lines = names.map((name) => `${name}:${String(headers[name]).trim().replaceAll(/ +/g, ' ')}\n`);
  return [method, address, search, lines.join(''), names.join(';'), hash].join('\n');
}

/** RFC 3986: all but letters, digits and `-._~`. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
