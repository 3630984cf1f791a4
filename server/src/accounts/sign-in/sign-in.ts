import type { Database } from '../../base/db/database.ts';
import type { Clock } from '../../base/std/clock.ts';
import { isUuid } from '../../base/std/ids.ts';
import { spellEmail } from '../people/email.ts';
import { findPeopleByEmail } from '../people/email-store.ts';
import { isPassword } from '../people/password.ts';
import { findPasswordHash, findPerson, type Person } from '../people/people-store.ts';
import type { Auth } from './auth.ts';
import type { AuthenticatorSeals } from './authenticator-seals.ts';
import { isGenuine, makeChallenge, readChallenge } from './challenge.ts';
import { noteLimitedTries, noteSignIn, type SignInMeans } from './note-sign-in.ts';
import { refusal } from './refusal.ts';
import type { Seals } from './seals.ts';
import { openSession } from './sessions.ts';
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
  email: string;
  cookies: string[];
}

export const challengeMs = 10 * 60 * 1000;

/** @throws AppError `sign_in_refused`, `too_many_requests` */
export async function signIn(
  deps: SignInDeps,
  browser: Browser,
  { email: text, password }: { email: string; password: string },
): Promise<SignedIn | { next: 'code_required'; challenge: string }> {
  const { database, seals } = deps;
  const email = spellEmail(text);
  const device = seals.open('device', browser.device, email);
  const attempt = { kind: 'password', address: browser.address, who: email, device } as const;
  return noteLimitedTries(
    database,
    { email, address: browser.address },
    withinLimits(database, attempt, async () => {
      return passPassword(deps, browser, { email, ...(await whoSaysSo(database, email, password)) });
    }),
  );
}

export async function passPassword(
  deps: SignInDeps,
  browser: Browser,
  { person, email, passwordHash }: { person: Person; email: string; passwordHash: string },
): Promise<SignedIn | { next: 'code_required'; challenge: string }> {
  if (!person.hasAuthenticator) return begin(deps, browser, { person, email, with: 'password' });
  const challenge = { personId: person.id, expiresAt: deps.clock.nowMs() + challengeMs };
  return { next: 'code_required', challenge: makeChallenge(deps.seals, challenge, passwordHash) };
}

/** Checks at least two hashes, so that it takes as long for nobody as for one person or two with the email address. */
async function whoSaysSo(
  database: Database,
  email: string,
  password: string,
): Promise<{ person: Person; passwordHash: string }> {
  const people: (Person | undefined)[] = await findPeopleByEmail(database.read, email);
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
  const { person, email } = await whoOwesCode(deps, browser.challenge);
  const device = seals.open('device', browser.device, email);
  const attempt = { kind: 'code', address: browser.address, who: person.id, device } as const;
  return withinLimits(database, attempt, async () => {
    const { address } = browser;
    const taken = await takeCode(deps, { person, address, code, of: 'confirmed' });
    return begin(deps, browser, { person, email, with: `password and ${taken}` });
  });
}

async function whoOwesCode(
  { database, clock, seals }: SignInDeps,
  text: string | undefined,
): Promise<{ person: Person; email: string }> {
  const challenge = readChallenge(text);
  if (!challenge || !isUuid(challenge.personId) || challenge.expiresAt <= clock.nowMs()) throw refusal();
  const person = await findPerson(database.read, challenge.personId);
  const passwordHash = await findPasswordHash(database.read, challenge.personId);
  if (!person?.email || passwordHash === null || !isGenuine(seals, challenge, passwordHash)) throw refusal();
  return { person, email: person.email };
}

async function begin(
  deps: SignInDeps,
  { headers, address }: Browser,
  { person, email, with: means }: { person: Person; email: string; with: SignInMeans },
): Promise<SignedIn> {
  const personId = person.id;
  await noteSignIn(deps.database, { personId, name: person.name, address }, means);
  return { next: 'done', email, cookies: await openSession(deps, headers, { personId, via: 'password' }) };
}
