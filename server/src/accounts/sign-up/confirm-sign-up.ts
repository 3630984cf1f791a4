import { newId } from '../../base/std/ids.ts';
import type { Log } from '../../base/std/log.ts';
import { maxNameLength } from '../name.ts';
import { linkInvalid } from '../open-link.ts';
import { findAddressLink, useAddressLink } from '../people/address-link-store.ts';
import { emailTaken } from '../people/email.ts';
import { giveEmail } from '../people/email-store.ts';
import { hashToken } from '../people/panel-link.ts';
import { hashNewPassword } from '../people/password.ts';
import { addPersonWithPassword } from '../people/people-store.ts';
import type { Auth } from '../sign-in/auth.ts';
import { openSession } from '../sign-in/sessions.ts';
import type { Browser, SignedIn } from '../sign-in/sign-in.ts';
import { withinLimits } from '../sign-in/sign-in-limits.ts';
import { mailedLinkTry } from './email-limits.ts';
import { hashAddress } from './free-credit.ts';
import { type Accepted, assertAccepted, type OwnAccountDeps, openOwnAccount } from './open-own-account.ts';

export interface ConfirmDeps extends OwnAccountDeps {
  log: Log;
  auth(): Promise<Auth>;
}

/** The form behind the link. */
interface Newcomer {
  name?: string;
  password: string;
  accepted?: Accepted;
}

/**
 * Makes the person whose address a link has confirmed, with an account of their own, and signs them in.
 *
 * @throws AppError `panel_link_invalid`, `invalid_request`, `too_many_requests`
 */
export async function confirmSignUp(
  deps: ConfirmDeps,
  { headers, address }: Browser,
  { token, name: given = '', password, accepted = {} }: { token: string } & Newcomer,
): Promise<SignedIn> {
  const { database, clock, signUp } = deps;
  const link = await findAddressLink(database.read, hashToken(token));
  if (link?.purpose !== 'sign_up' || !signUp) throw linkInvalid();
  const { email } = link;
  const name = given.trim().slice(0, maxNameLength) || email.slice(0, maxNameLength);
  assertAccepted(signUp, accepted);
  const at = clock.nowMs();
  const personId = newId(at);
  const by = { personId, name, address };
  const credit = await withinLimits(database, mailedLinkTry(address), async () => {
    const passwordHash = await hashNewPassword(password, { name, email });
    const addressHash = signUp.freeCreditMicros > 0n ? await hashAddress(database, email) : null;
    return database.transaction(async (tx) => {
      if (!(await useAddressLink(tx, hashToken(token)))) throw linkInvalid();
      await addPersonWithPassword(tx, { id: personId, name, email, at, passwordHash });
      if (!(await giveEmail(tx, personId, email))) throw emailTaken();
      return openOwnAccount(tx, { ...deps, signUp }, { email, addressHash, headers, by });
    });
  });
  if (credit === 'too_many') deps.log.warn('free_credit.withheld', { per_day: signUp.freeCreditsPerDay });
  return { next: 'done', email, cookies: await openSession(deps, headers, { personId, via: 'password' }) };
}
