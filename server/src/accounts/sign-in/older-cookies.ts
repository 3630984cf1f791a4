import type { BetterAuthPlugin } from 'better-auth';
import { createAuthMiddleware } from 'better-auth/api';
import { parseCookies } from 'better-auth/cookies';
import { constantTimeEqual, makeSignature } from 'better-auth/crypto';
import type { AuthKeys } from './auth-keys.ts';

/** Signs cookies of older keys anew with the current key, because the library verifies cookies with only one key. */
export function takeOlderCookies(keys: AuthKeys): BetterAuthPlugin {
  return {
    id: 'darkroom-older-cookies',
    hooks: {
      before: [
        {
          matcher: ({ headers }) => Boolean(headers?.get('cookie')),
          handler: createAuthMiddleware(async ({ headers: given }) => {
            const headers = new Headers(given);
            const cookies = await Promise.all(
              [...parseCookies(headers.get('cookie') ?? '')].map(
                async ([name, value]) => `${name}=${encodeURIComponent(await signAnew(value, keys))}`,
              ),
            );
            headers.set('cookie', cookies.join('; '));
            return { context: { headers } };
          }),
        },
      ],
    },
  };
}

// The form of a signed cookie, checked before its signature: a browser may send thousands of cookies, and each HMAC
// costs as much as a request.
const signed = /^(.+)\.([A-Za-z0-9+/]{43}=)$/;

async function signAnew(cookie: string, [current, ...older]: AuthKeys): Promise<string> {
  const [, value = '', signature = ''] = signed.exec(cookie) ?? [];
  if (signature === '') return cookie;
  for (const key of older) {
    if (constantTimeEqual(signature, await makeSignature(value, key)))
      return `${value}.${await makeSignature(value, current)}`;
  }
  return cookie;
}
