import { createHmac, randomBytes } from 'node:crypto';
import { version } from '../../version.ts';

const prefix = 'whsec_';
// A secret is as long as the HMAC's hash; Standard Webhooks allows 24 to 64 bytes.
const secretBytes = 32;

export function makeSigningSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64');
}

export function isSigningSecret(text: string): boolean {
  return text.startsWith(prefix);
}

const userAgent = `Darkroom-Webhooks/${version}`;

export interface SignedRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Signs one attempt by the rules of Standard Webhooks 1.0, once for each secret. `nowMs` is the attempt's time. */
export function signRequest(
  { url, id, payload }: { url: string; id: string; payload: object },
  secrets: readonly string[],
  nowMs: number,
): SignedRequest {
  const body = JSON.stringify(payload);
  const timestamp = String(Math.floor(nowMs / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  const headers = {
    'content-type': 'application/json',
    'user-agent': userAgent,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
  return { url, headers, body };
}
