import type { Database } from '../../db/database.ts';
import { isOperator } from '../people/people-store.ts';
import type { Auth } from './auth.ts';
import { clientAddressHeader, type SignedInBy } from './auth-names.ts';

/** Who is signed in. */
export interface Viewer {
  personId: string;
  name: string;
  /** Where they ask from. */
  address: string;
  operator: boolean;
  token: string;
  via: SignedInBy;
  expiresAt: number;
  signedInAt: number;
  hasAuthenticator: boolean;
  /** The session began with a one-time link a short time ago. */
  mayResetPassword: boolean;
}

// Whoever was handed a link sets a password in this time without an old one.
const resetWindowMs = 60 * 60 * 1000;
/** However much a session is used; see `sessionSeconds` for one that is not. */
export const maxSessionMs = 30 * 24 * 60 * 60 * 1000;
const sessionCookie = 'darkroom.session_token=';

/**
 * Whose session the cookies carry, and the cookies that renew it; undefined for nobody. Without a session cookie the
 * library is not even loaded, which costs a quarter of a second and 30 MB.
 */
export async function readSession(
  { database, auth }: { database: Database; auth(): Promise<Auth> },
  headers: Headers,
): Promise<{ viewer: Viewer; cookies: string[] } | undefined> {
  if (!headers.get('cookie')?.includes(sessionCookie)) return undefined;
  const { api } = await auth();
  const result = await api.getSession({ headers, returnHeaders: true });
  if (!result.response) return undefined;
  const { session, user } = result.response;
  const signedInAt = session.createdAt.getTime();
  const lastMs = signedInAt + maxSessionMs;
  if (lastMs <= Date.now()) return undefined;
  return {
    viewer: {
      personId: user.id,
      name: user.name,
      address: headers.get(clientAddressHeader) ?? '',
      operator: await isOperator(database.read, user.id),
      token: session.token,
      via: session.via as Viewer['via'], // a CHECK constraint allows nothing else
      expiresAt: Math.min(session.expiresAt.getTime(), lastMs),
      signedInAt,
      hasAuthenticator: user.twoFactorEnabled === true,
      mayResetPassword: session.via === 'link' && Date.now() - signedInAt < resetWindowMs,
    },
    cookies: result.headers.getSetCookie(),
  };
}

/** Of the cookies that an answer is about to set. */
export async function readNewSession(
  deps: { database: Database; auth(): Promise<Auth> },
  cookies: readonly string[],
): ReturnType<typeof readSession> {
  const sent = cookies.map((line) => line.split(';', 1)[0]).join('; ');
  return readSession(deps, new Headers({ cookie: sent }));
}

/** A new session, whatever the browser had before. Returns its cookies. */
export async function openSession(
  { auth }: { auth(): Promise<Auth> },
  headers: Headers,
  session: { personId: string; via: Viewer['via'] },
): Promise<string[]> {
  const { api } = await auth();
  const made = await api.openSession({ body: session, headers, returnHeaders: true });
  return made.headers.getSetCookie();
}
