import { newId } from '../../base/std/ids.ts';
import type { Log } from '../../base/std/log.ts';
import { AppError } from '../../errors.ts';
import { maxNameLength } from '../name.ts';
import { emailTaken, spellEmail } from '../people/email.ts';
import { findConfirmedPerson, giveEmail } from '../people/email-store.ts';
import { insertPerson } from '../people/people-store.ts';
import type { Vouched } from '../people/vouched.ts';
import type { Auth } from '../sign-in/auth.ts';
import { oidcProvider } from '../sign-in/auth-names.ts';
import type { Seals } from '../sign-in/seals.ts';
import { insertProviderSignIn } from '../sign-in/session-store.ts';
import { openSession } from '../sign-in/sessions.ts';
import type { Browser, SignedIn } from '../sign-in/sign-in.ts';
import { takeSignUpTry } from './email-limits.ts';
import { hashAddress } from './free-credit.ts';
import { type Accepted, assertAccepted, type OwnAccountDeps, openOwnAccount } from './open-own-account.ts';
import type { SignUpDeps } from './request-sign-up.ts';

/** The time limit for reading and accepting the documents. */
export const strangerMs = 30 * 60 * 1000;

/** A person unknown here. The browser keeps the sealed data, because strangers could flood a table. */
interface Stranger extends Pick<Vouched, 'subject' | 'email' | 'name'> {
  expiresAt: number;
}

interface StrangerDeps extends SignUpDeps {
  seals: Seals;
}

/** Seals a person's data for signing up. Null unless sign-up is open, the address is verified and the person is new. */
export async function sealStranger(
  { database, clock, signUp, seals }: StrangerDeps,
  vouched: Vouched | null,
): Promise<string | null> {
  if (signUp?.mode !== 'open' || !vouched?.isVerified) return null;
  const email = spellEmail(vouched.email);
  if (await findConfirmedPerson(database.read, email)) return null;
  const { subject, name } = vouched;
  const stranger: Stranger = { subject, email, name, expiresAt: clock.nowMs() + strangerMs };
  const text = Buffer.from(JSON.stringify(stranger)).toString('base64url');
  return `${text}.${seals.make('stranger', text)}`;
}

/** @throws AppError `sign_in_refused`; `not_found` unless sign-up is open */
export function readStranger({ clock, signUp, seals }: StrangerDeps, cookie = ''): Stranger {
  if (signUp?.mode !== 'open') throw new AppError('not_found', 'Only operators create accounts here.');
  const [text = '', ...sealed] = cookie.split('.');
  const isOurs = seals.open('stranger', sealed.join('.'), text) !== null;
  const stranger: Stranger | null = isOurs ? JSON.parse(Buffer.from(text, 'base64url').toString()) : null;
  if (!stranger || stranger.expiresAt <= clock.nowMs())
    throw new AppError('sign_in_refused', 'Single sign-on was too long ago. Sign in with it again.');
  return stranger;
}

/**
 * Creates the person with their own account, and signs them in.
 * @throws AppError `sign_in_refused`, `invalid_request`, `too_many_requests`
 */
export async function signUpByProvider(
  deps: OwnAccountDeps & StrangerDeps & { auth(): Promise<Auth>; log: Log },
  { headers, address, stranger }: Browser,
  { accepted = {} }: { accepted?: Accepted },
): Promise<SignedIn> {
  const { database, clock, signUp } = deps;
  const { subject, email, name: given } = readStranger(deps, stranger);
  if (!signUp) throw new TypeError('nobody signs up'); // readStranger has refused this case
  assertAccepted(signUp, accepted);
  await database.transaction((tx) => takeSignUpTry(tx, address));
  const at = clock.nowMs();
  const personId = newId(at);
  const name = given.trim().slice(0, maxNameLength) || email.slice(0, maxNameLength);
  const addressHash = signUp.freeCreditMicros > 0n ? await hashAddress(database, email) : null;
  const credit = await database.transaction(async (tx) => {
    await insertPerson(tx, { id: personId, name, email, at });
    const isNew = await insertProviderSignIn(tx, { personId, provider: oidcProvider, subject, at });
    if (!isNew || !(await giveEmail(tx, personId, email))) throw emailTaken();
    const by = { personId, name, address };
    return openOwnAccount(tx, { ...deps, signUp }, { email, addressHash, headers, by });
  });
  if (credit === 'too_many') deps.log.warn('free_credit.withheld', { per_day: signUp.freeCreditsPerDay });
  return { next: 'done', cookies: await openSession(deps, headers, { personId, via: 'oidc' }) };
}
