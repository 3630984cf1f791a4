import type { AuditAction } from '../../base/audit/audit-actions.ts';
import { type AuditEntry, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import type { Clock } from '../../base/std/clock.ts';
import { AppError } from '../../errors.ts';
import { isPassword } from '../people/password.ts';
import { endSessions, findPasswordHash } from '../people/people-store.ts';
import type { Auth, NewSession } from './auth.ts';
import type { AuthenticatorSeals } from './authenticator-seals.ts';
import { deleteIfConfirmed, putConfirmedIfThere } from './authenticator-store.ts';
import { refusal } from './refusal.ts';
import { openSession, type Viewer } from './sessions.ts';
import type { Browser } from './sign-in.ts';
import { withinLimits } from './sign-in-limits.ts';
import { takeCode } from './take-code.ts';

interface Deps {
  database: Database;
  clock: Clock;
  auth(): Promise<Auth>;
  authenticators: AuthenticatorSeals;
}

interface Who {
  viewer: Viewer;
  browser: Browser;
}

/** The new secret (TOTP) takes effect once the person has entered a code. @throws AppError `sign_in_refused` */
export async function setUpAuthenticator(
  deps: Deps,
  who: Who,
  password: string,
): Promise<{ uri: string; backup_codes: string[] }> {
  return asOneself(deps, who, async ({ api }) => {
    const made = await api
      .enableTwoFactor({ body: { password }, headers: who.browser.headers })
      .catch(refuseKnown);
    if (made.method !== 'totp') throw new Error(`an authenticator of another kind: ${made.method}`);
    return { uri: made.totpURI, backup_codes: made.backupCodes };
  });
}

/** Requires a code at each sign-in from now on. Ends all sessions, and returns the cookies of a new one. */
export async function confirmAuthenticator(deps: Deps, who: Who, code: string): Promise<string[]> {
  const { viewer, browser } = who;
  const { personId, name } = viewer;
  await asOneself(deps, who, async () => {
    const person = { id: personId, name };
    await takeCode(deps, { person, address: browser.address, code, of: 'unconfirmed' });
  });
  await deps.database.transaction(async (tx) => {
    if (!(await putConfirmedIfThere(tx, personId))) throw refusal();
    await endSessions(tx, personId);
    await insertAuditEntry(tx, viewer, entryOf(viewer, 'authenticator.added'));
  });
  return openSession(deps, browser.headers, sameSession(viewer));
}

/**
 * Ends all sessions, and returns the cookies of a new one.
 * @throws AppError `sign_in_refused`, `too_many_requests`; `invalid_request` without an authenticator
 */
export async function removeAuthenticator(deps: Deps, who: Who, password: string): Promise<string[]> {
  const { viewer, browser } = who;
  const { personId } = viewer;
  await asOneself(deps, who, async () => {
    const hash = await findPasswordHash(deps.database.read, personId);
    if (!(await isPassword(password, hash))) throw refusal();
  });
  // The library would remove in several transactions, between which another request could confirm.
  await deps.database.transaction(async (tx) => {
    if (!(await deleteIfConfirmed(tx, personId)))
      throw new AppError('invalid_request', 'There is no authenticator to remove.');
    await endSessions(tx, personId);
    await insertAuditEntry(tx, viewer, entryOf(viewer, 'authenticator.removed'));
  });
  return openSession(deps, browser.headers, sameSession(viewer));
}

/** A session after a one-time link then counts as opened with the password, which the person has entered. */
function sameSession({ personId, via, passkeyId }: Viewer): NewSession {
  if (passkeyId !== null) return { personId, via, passkeyId };
  return { personId, via: via === 'oidc' ? via : 'password' };
}

/** Counts a signed-in person's tries only against their own session. */
async function asOneself<T>(
  { database, auth }: Deps,
  { viewer, browser }: Who,
  work: (auth: Auth) => Promise<T>,
): Promise<T> {
  const attempt = {
    kind: 'code',
    address: browser.address,
    who: viewer.personId,
    device: viewer.token,
  } as const;
  return withinLimits(database, attempt, async () => work(await auth()));
}

function entryOf({ personId }: Viewer, action: AuditAction): AuditEntry {
  return { action, accountId: null, subject: personId, detail: {} };
}

function refuseKnown(error: unknown): never {
  const code =
    error instanceof Error && 'body' in error
      ? (error.body as { code?: string } | undefined)?.code
      : undefined; // the library's error
  if (code === 'TOTP_ALREADY_ENABLED')
    throw new AppError('invalid_request', 'There is an authenticator already; remove it first.');
  return refuse(error);
}

/** Gives every refusal the same answer, and passes on other errors. */
function refuse(error: unknown): never {
  if (isRefusal(error)) throw refusal(error);
  throw error;
}

function isRefusal(error: unknown): boolean {
  return (
    error instanceof Error &&
    error.name === 'APIError' &&
    'statusCode' in error &&
    Number(error.statusCode) < 500
  );
}
