import type { AuditAction } from '../../base/audit/audit-actions.ts';
import { type AuditEntry, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import type { Clock } from '../../base/std/clock.ts';
import { AppError } from '../../errors.ts';
import { isPassword } from '../people/password.ts';
import { endSessions, findPasswordHash, findPerson } from '../people/people-store.ts';
import type { Auth, NewSession } from './auth.ts';
import type { AuthenticatorSeals } from './authenticator-seals.ts';
import { deleteIfConfirmed, putConfirmed, putUnconfirmed } from './authenticator-store.ts';
import { digits, stepMs } from './decide-code.ts';
import { refusal } from './refusal.ts';
import { assertStillOpen, openSession, type Viewer } from './sessions.ts';
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
  const { personId } = who.viewer;
  return asOneself(deps, who, async () => {
    await assertPassword(deps, personId, password);
    const person = await findPerson(deps.database.read, personId);
    if (!person) throw refusal();
    const { generateRandomString } = await import('better-auth/crypto');
    const secret = generateRandomString(32);
    const backupCodes = Array.from({ length: 10 }, () => {
      const code = generateRandomString(10, 'a-z', '0-9', 'A-Z');
      return `${code.slice(0, 5)}-${code.slice(5)}`;
    });
    const sealed = {
      secret: await deps.authenticators.seal(secret),
      backupCodes: await deps.authenticators.seal(JSON.stringify(backupCodes)),
    };
    // The library would replace an authenticator that another request confirms at the same moment.
    if (!(await deps.database.transaction((tx) => putUnconfirmed(tx, personId, sealed))))
      throw new AppError('invalid_request', 'There is an authenticator already; remove it first.');
    return { uri: uriOf(secret, person.email ?? person.name), backup_codes: backupCodes };
  });
}

/** Requires a code at each sign-in from now on. Ends all sessions, and returns the cookies of a new one. */
export async function confirmAuthenticator(deps: Deps, who: Who, code: string): Promise<string[]> {
  const { viewer, browser } = who;
  const { personId, name } = viewer;
  await asOneself(deps, who, async () => {
    await takeCode(deps, {
      person: { id: personId, name },
      address: browser.address,
      code,
      of: 'unconfirmed',
      async onRight(tx, authenticatorId) {
        await putConfirmed(tx, personId, authenticatorId);
        await assertStillOpen(tx, viewer);
        await endSessions(tx, personId);
        await insertAuditEntry(tx, viewer, entryOf(viewer, 'authenticator.added'));
      },
    });
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
  await asOneself(deps, who, () => assertPassword(deps, personId, password));
  // The library would remove in several transactions, between which another request could confirm.
  await deps.database.transaction(async (tx) => {
    if (!(await deleteIfConfirmed(tx, personId)))
      throw new AppError('invalid_request', 'There is no authenticator to remove.');
    await assertStillOpen(tx, viewer);
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
  { database }: Deps,
  { viewer, browser }: Who,
  work: () => Promise<T>,
): Promise<T> {
  const attempt = {
    kind: 'code',
    address: browser.address,
    who: viewer.personId,
    device: viewer.token,
  } as const;
  return withinLimits(database, attempt, work);
}

function entryOf({ personId }: Viewer, action: AuditAction): AuditEntry {
  return { action, accountId: null, subject: personId, detail: {} };
}

async function assertPassword({ database }: Deps, personId: string, password: string): Promise<void> {
  if (!(await isPassword(password, await findPasswordHash(database.read, personId)))) throw refusal();
}

/** The address that authenticator apps read (Google's "Key URI Format"). */
function uriOf(secret: string, who: string): string {
  const code = { digits: String(digits), period: String(stepMs / 1_000) };
  const query = new URLSearchParams({ secret: base32(secret), issuer, ...code });
  return `otpauth://totp/${issuer}:${encodeURIComponent(who)}?${query}`;
}

const issuer = 'Darkroom';

/** RFC 4648, without padding. */
function base32(text: string): string {
  const bits = [...Buffer.from(text)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = bits.match(/.{1,5}/g) ?? [];
  return letters
    .map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('');
}
