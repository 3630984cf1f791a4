import type { Database } from '../../base/db/database.ts';
import type { Tx } from '../../base/db/schema.ts';
import { AppError } from '../../errors.ts';
import { endSession, findOperatorRole, lockSession } from '../people/people-store.ts';
import type { OperatorRole } from '../people/roles.ts';
import type { Auth, NewSession } from './auth.ts';
import { clientAddressHeader, type SignedInBy } from './auth-names.ts';

export interface Viewer {
  personId: string;
  name: string;
  address: string;
  operator: boolean;
  operatorRole: OperatorRole | null;
  token: string;
  via: SignedInBy;
  /** The passkey that opened the session; null if none did. */
  passkeyId: string | null;
  expiresAt: number;
  signedInAt: number;
  hasAuthenticator: boolean;
  /** True for an hour after a session begins with a one-time link. */
  mayResetPassword: boolean;
}

// How long after opening a one-time link a person may set a password without giving the old one.
const resetWindowMs = 60 * 60 * 1000;
// People who signed in less than this time ago need not prove again who they are.
const freshMs = 15 * 60 * 1000;
/** The lifetime of a session that is in use; `sessionSeconds` ends unused sessions sooner. */
export const maxSessionMs = 30 * 24 * 60 * 60 * 1000;
const sessionCookie = 'darkroom.session_token=';

/** Whether there is a session cookie. Its session may have ended. */
export function hasSessionCookie(cookie: string | null | undefined): boolean {
  return cookie?.includes(sessionCookie) ?? false;
}

/** Loads better-auth only if there is a session cookie, because loading takes a quarter of a second and 30 MB. */
export async function readSession(
  { database, auth }: { database: Database; auth(): Promise<Auth> },
  headers: Headers,
): Promise<{ viewer: Viewer; cookies: string[] } | undefined> {
  if (!hasSessionCookie(headers.get('cookie'))) return undefined;
  const { api } = await auth();
  const result = await api.getSession({ headers, returnHeaders: true });
  if (!result.response) return undefined;
  const { session, user } = result.response;
  const signedInAt = session.createdAt.getTime();
  const lastMs = signedInAt + maxSessionMs;
  if (lastMs <= Date.now()) return undefined;
  const operatorRole = await findOperatorRole(database.read, user.id);
  return {
    viewer: {
      personId: user.id,
      name: user.name,
      address: headers.get(clientAddressHeader) ?? '',
      operator: operatorRole !== null,
      operatorRole,
      token: session.token,
      via: meansOf({ via: session.via as Viewer['via'], passkeyId: session.passkeyId ?? null }), // a CHECK constraint allows nothing else
      passkeyId: session.passkeyId ?? null,
      expiresAt: Math.min(session.expiresAt.getTime(), lastMs),
      signedInAt,
      hasAuthenticator: user.twoFactorEnabled === true,
      mayResetPassword: session.via === 'link' && Date.now() - signedInAt < resetWindowMs,
    },
    cookies: result.headers.getSetCookie(),
  };
}

export function meansOf({ via, passkeyId }: { via: SignedInBy; passkeyId: string | null }): SignedInBy {
  return passkeyId === null ? via : 'passkey';
}

/**
 * Checks in a change's transaction that the session has not ended meanwhile. Comes after the writes for which another
 * change that ends sessions also waits.
 * @throws AppError `session_missing`
 */
export async function assertStillOpen(tx: Tx, { token }: Pick<Viewer, 'token'>): Promise<void> {
  if (!(await lockSession(tx, token))) throw noSession();
}

export function noSession(): AppError {
  return new AppError('session_missing', 'You are not signed in, or your session has ended.');
}

export function isFresh({ signedInAt }: Viewer): boolean {
  return Date.now() - signedInAt <= freshMs;
}

/** Reads the session of the cookies that an answer is about to set. */
export async function readNewSession(
  deps: { database: Database; auth(): Promise<Auth> },
  cookies: readonly string[],
): ReturnType<typeof readSession> {
  const sent = cookies.map((line) => line.split(';', 1)[0]).join('; ');
  return readSession(deps, new Headers({ cookie: sent }));
}

/** Opens a new session, even in a browser that has one, and returns the new session's cookies. */
export async function openSession(
  deps: { auth(): Promise<Auth> },
  headers: Headers,
  session: NewSession,
): Promise<string[]> {
  return (await openOne(deps, headers, session)).cookies;
}

/**
 * Opens a session, and ends it unless `mayStay`. This is asked only now, because a change that ends the person's sessions
 * could otherwise miss this one. Returns undefined if the session has ended.
 */
export async function openSessionIf(
  deps: { database: Database; auth(): Promise<Auth> },
  headers: Headers,
  { mayStay, ...session }: NewSession & { mayStay(tx: Tx): Promise<boolean> },
): Promise<string[] | undefined> {
  const { token, cookies } = await openOne(deps, headers, session);
  return deps.database.transaction(async (tx) => {
    if (await mayStay(tx)) return cookies;
    await endSession(tx, token);
    return undefined;
  });
}

async function openOne({ auth }: { auth(): Promise<Auth> }, headers: Headers, session: NewSession) {
  const { api } = await auth();
  const made = await api.openSession({ body: session, headers, returnHeaders: true });
  return { token: made.response.token, cookies: made.headers.getSetCookie() };
}
