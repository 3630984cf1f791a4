import assert from 'node:assert/strict';
import { createHash, createSign, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { World } from '../../world/world.ts';
import type { Browser } from '../browser.ts';

export async function signIn(_world: World, browser: Browser, return_to: string): Promise<string | null> {
  return (await browser.send('GET', await authorize(browser, return_to))).headers.get('location');
}

export async function authorize(browser: Browser, return_to: string): Promise<string> {
  const { url } = await browser.call('POST /panel/sign-in/oidc', { body: { return_to } });
  const answer = await fetch(url, { redirect: 'manual' });
  const back = new URL(answer.headers.get('location') ?? '');
  return `${back.pathname}${back.search}`;
}

export function settings(issuer: string) {
  return {
    DARKROOM_OIDC_ISSUER: issuer,
    DARKROOM_OIDC_CLIENT_ID: 'panel',
    DARKROOM_OIDC_CLIENT_SECRET: 'provider-secret',
    DARKROOM_OIDC_NAME: 'Example ID',
  };
}

export async function startProvider({
  email,
  verified,
  subject = 'subject-1',
}: {
  email: string;
  verified: boolean;
  subject?: string;
}) {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const asked = new Map<string, URLSearchParams>();
  let exchanges = 0;
  const issuerOf = (request: IncomingMessage) => `http://${request.headers.host}`;
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', issuerOf(request));
    const json = (body: unknown) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    if (url.pathname === '/.well-known/openid-configuration') {
      const issuer = issuerOf(request);
      json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/keys`,
        id_token_signing_alg_values_supported: ['RS256'],
      });
    } else if (url.pathname === '/keys') {
      json({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }] });
    } else if (url.pathname === '/authorize') {
      const code = `code-${asked.size}`;
      asked.set(code, url.searchParams);
      const back = new URL(url.searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', url.searchParams.get('state') ?? '');
      response.writeHead(302, { location: back.href }).end();
    } else if (url.pathname === '/token') {
      exchanges++;
      const form = new URLSearchParams(await bodyOf(request));
      const first = asked.get(form.get('code') ?? '');
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      if (first?.get('code_challenge_method') !== 'S256' || first.get('code_challenge') !== challenge) {
        response.statusCode = 400;
        return json({ error: 'invalid_grant', error_description: 'PKCE verification failed' });
      }
      const now = Math.floor(Date.now() / 1000);
      const claims = {
        iss: issuerOf(request),
        aud: 'panel',
        sub: subject,
        email,
        email_verified: verified,
        name: 'Ada',
        nonce: first.get('nonce'),
        iat: now,
        exp: now + 300,
      };
      json({ access_token: 'access', token_type: 'Bearer', expires_in: 300, id_token: sign(claims) });
    } else {
      response.writeHead(404).end();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  function sign(claims: object): string {
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const signed = `${encode({ alg: 'RS256', kid: 'one', typ: 'JWT' })}.${encode(claims)}`;
    return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')}`;
  }

  const address = server.address();
  assert.ok(address !== null && typeof address !== 'string');
  return {
    env: settings(`http://127.0.0.1:${address.port}`),
    exchanges: () => exchanges,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts = await Array.fromAsync(request as AsyncIterable<Buffer>); // a request's stream consists of bytes
  return Buffer.concat(parts).toString();
}
