import { type BetterAuthPlugin, betterAuth } from 'better-auth';
import { createAuthEndpoint } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import { genericOAuth } from 'better-auth/plugins/generic-oauth';
import { twoFactor } from 'better-auth/plugins/two-factor';
import type { Database } from '../../base/db/database.ts';
import { singleQueries } from '../../base/db/single-queries.ts';
import { newId } from '../../base/std/ids.ts';
import type { Log } from '../../base/std/log.ts';
import { maxPasswordLength, minPasswordLength } from '../people/password.ts';
import { noteVouched } from '../people/vouched.ts';
import type { AuthKeys } from './auth-keys.ts';
import {
  authPath,
  clientAddressHeader,
  cookiePrefix,
  isHttps,
  oidcProvider,
  type SignedInBy,
} from './auth-names.ts';
import type { OidcSettings } from './oidc-settings.ts';
import { takeOlderCookies } from './older-cookies.ts';

export interface AuthOptions {
  database: Database;
  log: Log;
  /** The URL at which browsers reach the server, without a trailing slash. */
  publicUrl: string;
  keys: AuthKeys;
  oidc: OidcSettings | null;
}

export type Auth = ReturnType<typeof createAuth>;

const day = 24 * 60 * 60;
/** A session's lifetime. Using the session renews it, at most once a day. */
export const sessionSeconds = 7 * day;

/** Over HTTP, only the identity provider's callback is open. Our own calls use the library, with our own limits. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of the library's settings
export function createAuth({ database, log, publicUrl, keys, oidc }: AuthOptions) {
  return betterAuth({
    appName: 'Darkroom',
    baseURL: publicUrl,
    basePath: authPath,
    secret: keys[0],
    // The library's `sqlite` mode suits both databases: it stores times as text, and booleans as 0 and 1.
    database: { db: singleQueries(database), type: 'sqlite' },
    emailAndPassword: { enabled: true, disableSignUp: true, minPasswordLength, maxPasswordLength },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { log: (level, message) => log.debug('sign_in.library', { level, message }) },
    advanced: {
      cookiePrefix: cookiePrefix(publicUrl),
      useSecureCookies: false, // otherwise the library would put `__Secure-` before our prefix
      defaultCookieAttributes: { secure: isHttps(publicUrl) },
      database: { generateId: () => newId(Date.now()), validateSchema: false },
      ipAddress: { ipAddressHeaders: [clientAddressHeader] },
    },
    user: {
      modelName: 'people',
      fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
    },
    session: {
      modelName: 'sessions',
      fields: {
        userId: 'person_id',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
        expiresAt: 'expires_at',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
      additionalFields: {
        via: { type: 'string', required: true, input: false, defaultValue: oidc ? 'oidc' : 'password' },
        passkeyId: { type: 'string', required: false, input: false, fieldName: 'passkey_id' },
      },
      expiresIn: sessionSeconds,
      updateAge: day,
      freshAge: 0,
    },
    account: {
      modelName: 'sign_ins',
      fields: {
        userId: 'person_id',
        providerId: 'provider_id',
        accountId: 'subject',
        accessToken: 'access_token',
        refreshToken: 'refresh_token',
        idToken: 'id_token',
        accessTokenExpiresAt: 'access_token_expires_at',
        refreshTokenExpiresAt: 'refresh_token_expires_at',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
      encryptOAuthTokens: true,
      // An email address that the provider has verified signs in the person who has confirmed it here.
      accountLinking: { enabled: true, requireLocalEmailVerified: true },
      // The browser keeps the sealed state, because anyone can start a sign-in and could otherwise flood a table.
      storeStateStrategy: 'cookie',
    },
    verification: {
      modelName: 'verifications',
      fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
    },
    plugins: [
      twoFactor({
        // The library only reads who has an authenticator. `authenticator.ts` changes it, and `take-code.ts` checks codes.
        accountLockout: { enabled: false },
        schema: {
          user: { fields: { twoFactorEnabled: 'has_authenticator' } },
          twoFactor: {
            modelName: 'authenticators',
            fields: {
              userId: 'person_id',
              backupCodes: 'backup_codes',
              failedVerificationCount: 'failures',
              lockedUntil: 'locked_until',
            },
          },
        },
      }),
      openSession,
      ...(keys.length > 1 ? [takeOlderCookies(keys)] : []),
      ...(oidc
        ? [
            genericOAuth({
              config: [
                {
                  providerId: oidcProvider,
                  name: oidc.name,
                  discoveryUrl: `${oidc.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
                  clientId: oidc.clientId,
                  clientSecret: oidc.clientSecret,
                  scopes: ['openid', 'email', 'profile'],
                  pkce: true,
                  requireIdTokenVerification: true,
                  // An account at the provider alone gives no access. New customers sign up through
                  // `sign-up-by-provider.ts`.
                  disableSignUp: true,
                  mapProfileToUser(profile) {
                    noteVouched(profile);
                    return {};
                  },
                },
              ],
            }),
          ]
        : []),
    ],
  });
}

/** Opens a session for a person whose identity is proved. Not reachable over HTTP. */
const openSession = {
  id: 'darkroom',
  endpoints: {
    openSession: createAuthEndpoint.serverOnly(
      { method: 'POST', requireHeaders: true, body: sessionBody() },
      async (ctx) => {
        const user = await ctx.context.internalAdapter.findUserById(ctx.body.personId);
        if (!user) throw new Error('the person who signs in is gone');
        const session = await ctx.context.internalAdapter.createSession(
          user.id,
          false,
          storedMeans(ctx.body),
          true,
        );
        await setSessionCookie(ctx, { session, user });
        return ctx.json({ token: session.token });
      },
    ),
  },
} satisfies BetterAuthPlugin;

export interface NewSession {
  personId: string;
  via: SignedInBy;
  passkeyId?: string;
}

/** Stores a passkey's session as `password` with the passkey's id, because the table has no value for passkeys. */
function storedMeans({ via, passkeyId }: NewSession) {
  return { via: via === 'passkey' ? 'password' : via, ...(passkeyId && { passkeyId }) };
}

/** The library requires a Standard Schema, although the value comes from our own code. */
function sessionBody() {
  return {
    '~standard': {
      version: 1,
      vendor: 'darkroom',
      types: undefined as { input: NewSession; output: NewSession } | undefined, // only for type inference
      validate: (value: unknown) => ({ value: value as NewSession }), // see above
    },
  } as const;
}
