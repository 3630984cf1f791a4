import { createPrivateKey, createSign } from 'node:crypto';
import { SettingError } from '../../../errors.ts';
import { textBody } from '../body.ts';
import { pick, pickText } from '../pick.ts';
import type { Upstream } from '../upstream.ts';

interface ServiceAccount {
  email: string;
  privateKey: string;
  privateKeyId: string | undefined;
  projectId: string | undefined;
  tokenUrl: string;
}

const scope = 'https://www.googleapis.com/auth/cloud-platform';
/** The longest lifetime that Google allows. */
const lifetimeSeconds = 3600;
/** A token that expires sooner than this is replaced, because sending a request may take minutes. */
const spareMs = 5 * 60 * 1000;

export function parseServiceAccount(json: unknown): ServiceAccount {
  const email = pickText(json, 'client_email');
  const privateKey = pickText(json, 'private_key');
  if (pickText(json, 'type') !== 'service_account' || !email || !privateKey) {
    throw new SettingError('the Google credentials must be the JSON key file of a service account');
  }
  try {
    createPrivateKey(privateKey);
  } catch {
    throw new SettingError('the private key in the JSON key file of the service account cannot be read');
  }
  return {
    email,
    privateKey,
    privateKeyId: pickText(json, 'private_key_id'),
    projectId: pickText(json, 'project_id'),
    tokenUrl: pickText(json, 'token_uri') ?? 'https://oauth2.googleapis.com/token',
  };
}

/** Uses the JWT bearer flow (RFC 7523). Caches a token until shortly before it expires. */
export function createTokens(account: ServiceAccount, upstream: Upstream) {
  let current: { token: string; untilMs: number } | undefined;
  return {
    async get(signal: AbortSignal): Promise<string> {
      if (current && Date.now() < current.untilMs) return current.token;
      current = await fetchToken(account, upstream, signal);
      return current.token;
    },
    forget() {
      current = undefined;
    },
  };
}

async function fetchToken(account: ServiceAccount, upstream: Upstream, signal: AbortSignal) {
  const askedMs = Date.now();
  const grant = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: assertion(account, Math.floor(askedMs / 1000)),
  });
  const body = textBody('application/x-www-form-urlencoded', grant.toString());
  const answer = await upstream.call({ method: 'POST', url: account.tokenUrl, body, signal });
  const json = answer.json();
  const token = pickText(json, 'access_token');
  // OAuth answers 400 if the account is gone or its key is revoked.
  if (!answer.ok) throw upstream.refusal(answer, answer.status === 400 ? { kind: 'auth' } : {});
  if (!token) throw upstream.refusal(answer, { kind: 'bad_response' });
  const seconds = Number(pick(json, 'expires_in') ?? lifetimeSeconds);
  return { token, untilMs: askedMs + seconds * 1000 - spareMs };
}

function assertion(account: ServiceAccount, nowSeconds: number): string {
  const header = { alg: 'RS256', typ: 'JWT', ...(account.privateKeyId ? { kid: account.privateKeyId } : {}) };
  const claims = {
    iss: account.email,
    scope,
    aud: account.tokenUrl,
    iat: nowSeconds,
    exp: nowSeconds + lifetimeSeconds,
  };
  const unsigned = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${unsigned}.${createSign('RSA-SHA256').update(unsigned).sign(account.privateKey, 'base64url')}`;
}
