import type { Database } from '../../base/db/database.ts';
import type { Clock } from '../../base/std/clock.ts';
import { isUuid } from '../../base/std/ids.ts';
import { AppError } from '../../errors.ts';
import { spellEmail } from '../people/email.ts';
import { findPeopleByEmail } from '../people/email-store.ts';
import { isPassword } from '../people/password.ts';
import { findPasswordHash, findPerson, lockFactors, type Person } from '../people/people-store.ts';
import type { Auth } from './auth.ts';
import type { AuthenticatorSeals } from './authenticator-seals.ts';
import { isGenuine, makeChallenge, readChallenge } from './challenge.ts';
import { noteLimitedTries, noteSignIn, type SignInMeans } from './note-sign-in.ts';
import { refusal } from './refusal.ts';
import type { Seals } from './seals.ts';
import { openSessionIf } from './sessions.ts';
import { withinLimits } from './sign-in-limits.ts';
import { takeCode } from './take-code.ts';

export interface SignInDeps {
  database: Database;
  clock: Clock;
  auth(): Promise<Auth>;
  seals: Seals;
  authenticators: AuthenticatorSeals;
}

export interface Browser {
  headers: Headers;
  address: string;
  /** The device cookie, not checked yet. */
  device: string | undefined;
  /** The challenge of the second step, not checked yet. */
  challenge: string | undefined;
  /** The challenge of a passkey, not checked yet. */
  passkey: string | undefined;
  /** The person for whom an identity provider vouched, not checked yet. */
  stranger: string | undefined;
}

export interface SignedIn {
  next: 'done';
  cookies: string[];
}

export const challengeMs = 10 * 60 * 1000;

/** @throws AppError `sign_in_refused`, `too_many_requests` */
export async function signIn(
  deps: SignInDeps,
  browser: Browser,
  { email: text, password }: { email: string; password: string },
): Promise<SignedIn | { next: 'code_required'; challenge: string }> {
  const { database } = deps;
  const { address } = browser;
  const email = spellEmail(text);
  const people = await findPeopleByEmail(database.read, email);
  const known = knownOf(deps, browser, people);
  const passAs = (some: readonly Person[], device: string | null) =>
    withinLimits(database, { kind: 'password', address, who: email, device }, async () =>
      passPassword(deps, browser, await whoSaysSo(database, some, password)),
    );
  const others = people.filter(({ id }) => id !== known?.person.id);
  const passAsOther = () => passAs(others, null);
  // A browser's own limit counts only for its own person, because anyone can enter the same email and sign in again and
  // again for new device cookies. Other people are tried even if there are none, so that nothing shows whether there are.
  const tries = known
    ? passAs([known.person], known.device).catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'sign_in_refused') return passAsOther();
        throw error;
      })
    : passAsOther();
  return noteLimitedTries(database, { email, address }, tries);
}

/** Finds the person who has signed in from this browser before. */
function knownOf(
  { seals }: SignInDeps,
  browser: Browser,
  people: readonly Person[],
): { person: Person; device: string } | undefined {
  for (const person of people) {
    const device = seals.open('device', browser.device, person.id);
    if (device !== null) return { person, device };
  }
  return undefined;
}

export async function passPassword(
  deps: SignInDeps,
  browser: Browser,
  { person, passwordHash }: { person: Person; passwordHash: string },
): Promise<SignedIn | { next: 'code_required'; challenge: string }> {
  if (!person.hasAuthenticator) return begin(deps, browser, { person, passwordHash, with: 'password' });
  const challenge = { personId: person.id, expiresAt: deps.clock.nowMs() + challengeMs };
  return { next: 'code_required', challenge: makeChallenge(deps.seals, challenge, passwordHash) };
}

/** Checks at least two hashes, so that it takes as long for nobody as for one person or two with the email address. */
async function whoSaysSo(
  database: Database,
  people: readonly (Person | undefined)[],
  password: string,
): Promise<{ person: Person; passwordHash: string }> {
  let found: { person: Person; passwordHash: string } | undefined;
  for (const person of people.length < 2 ? [people[0], undefined] : people) {
    const passwordHash = person ? await findPasswordHash(database.read, person.id) : null;
    const isTheirs = await isPassword(password, passwordHash);
    if (isTheirs && person && passwordHash !== null) found ??= { person, passwordHash };
  }
  if (!found) throw refusal();
  return found;
}

/** @throws AppError `sign_in_refused`, `authenticator_unreadable`, `too_many_requests` */
export async function enterCode(deps: SignInDeps, browser: Browser, code: string): Promise<SignedIn> {
  const { database, seals } = deps;
  const { person, passwordHash } = await whoOwesCode(deps, browser.challenge);
  const device = seals.open('device', browser.device, person.id);
  const attempt = { kind: 'code', address: browser.address, who: person.id, device } as const;
  return withinLimits(database, attempt, async () => {
    const { address } = browser;
    const taken = await takeCode(deps, { person, address, code, of: 'confirmed' });
    return begin(deps, browser, { person, passwordHash, with: `password and ${taken}` });
  });
}

async function whoOwesCode(
  { database, clock, seals }: SignInDeps,
  text: string | undefined,
): Promise<{ person: Person; passwordHash: string }> {
  const challenge = readChallenge(text);
  if (!challenge || !isUuid(challenge.personId) || challenge.expiresAt <= clock.nowMs()) throw refusal();
  const person = await findPerson(database.read, challenge.personId);
  const passwordHash = await findPasswordHash(database.read, challenge.personId);
  if (!person || passwordHash === null || !isGenuine(seals, challenge, passwordHash)) throw refusal();
  return { person, passwordHash };
}

async function begin(
  deps: SignInDeps,
  { headers, address }: Browser,
  { person, passwordHash, with: means }: { person: Person; passwordHash: string; with: SignInMeans },
): Promise<SignedIn> {
  const { id: personId, name, hasAuthenticator } = person;
  const cookies = await openSessionIf(deps, headers, {
    ...{ personId, via: 'password' },
    // The password or the second factor may have changed since it was checked.
    async mayStay(tx) {
      const now = await lockFactors(tx, personId);
      return now?.passwordHash === passwordHash && now.hasAuthenticator === hasAuthenticator;
    },
  });
  if (!cookies) throw refusal();
  await noteSignIn(deps.database, { personId, name, address }, means);
  return { next: 'done', cookies };
}
