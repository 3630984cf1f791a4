import type { Tx } from '../../base/db/schema.ts';
import { newId } from '../../base/std/ids.ts';
import type { Log } from '../../base/std/log.ts';
import { maxNameLength } from '../name.ts';
import { linkInvalid } from '../open-link.ts';
import { knownPasskey } from '../passkeys/add-passkey.ts';
import {
  type MadePasskey,
  offerNewPasskey,
  type PasskeyDeps,
  readNewPasskey,
} from '../passkeys/new-passkey.ts';
import { findAddressLink, useAddressLink } from '../people/address-link-store.ts';
import { emailTaken } from '../people/email.ts';
import { giveEmail } from '../people/email-store.ts';
import { hashToken } from '../people/panel-link.ts';
import { insertPasskey } from '../people/passkey-store.ts';
import { hashNewPassword } from '../people/password.ts';
import { insertPerson, putPassword } from '../people/people-store.ts';
import type { Auth, NewSession } from '../sign-in/auth.ts';
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

interface Newcomer {
  token: string;
  name?: string;
  accepted?: Accepted;
}

/** Signs the new person in. @throws AppError `panel_link_invalid`, `invalid_request`, `too_many_requests` */
export function confirmSignUp(
  deps: ConfirmDeps,
  browser: Browser,
  { password, ...newcomer }: Newcomer & { password: string },
): Promise<SignedIn> {
  return joinBy(deps, browser, newcomer, async (who) => {
    const passwordHash = await hashNewPassword(password, who);
    return {
      insert: (tx, personId) => putPassword(tx, { id: newId(deps.clock.nowMs()), personId, passwordHash }),
      session: { via: 'password' },
    };
  });
}

/**
 * Begins to make a passkey for the holder of a sign-up link.
 * @throws AppError `panel_link_invalid`, `too_many_requests`, `invalid_request`
 */
export async function offerFirstPasskey(
  deps: ConfirmDeps & PasskeyDeps,
  { address }: Browser,
  { token, installation }: { token: string; installation: string },
) {
  const { email } = await withinLimits(deps.database, mailedLinkTry(address), () => readLink(deps, token));
  return offerNewPasskey(deps, { who: hashToken(token), email, name: email, known: [] }, installation);
}

/** @throws AppError `panel_link_invalid`, `sign_in_refused`, `invalid_request`, `too_many_requests` */
export function confirmWithPasskey(
  deps: ConfirmDeps & PasskeyDeps,
  browser: Browser,
  { passkey: made, ...newcomer }: Newcomer & { passkey: MadePasskey },
): Promise<SignedIn> {
  return joinBy(deps, browser, newcomer, async () => {
    const read = await readNewPasskey(deps, browser, { who: hashToken(newcomer.token), made });
    const id = newId(deps.clock.nowMs());
    return {
      async insert(tx, personId) {
        if (!(await insertPasskey(tx, { id, personId, ...read }))) throw knownPasskey();
      },
      session: { via: 'passkey', passkeyId: id },
    };
  });
}

/** A password or passkey, read before the transaction that stores it. */
interface Means {
  insert(tx: Tx, personId: string): Promise<void>;
  session: Omit<NewSession, 'personId'>;
}

async function joinBy(
  deps: ConfirmDeps,
  { headers, address }: Browser,
  { token, name: given = '', accepted = {} }: Newcomer,
  readMeans: (who: { name: string; email: string }) => Promise<Means>,
): Promise<SignedIn> {
  const { database, clock } = deps;
  const { email, signUp } = await readLink(deps, token);
  const name = given.trim().slice(0, maxNameLength) || email.slice(0, maxNameLength);
  assertAccepted(signUp, accepted);
  const at = clock.nowMs();
  const personId = newId(at);
  const by = { personId, name, address };
  const { credit, session } = await withinLimits(database, mailedLinkTry(address), async () => {
    const means = await readMeans({ name, email });
    const addressHash = signUp.freeCreditMicros > 0n ? await hashAddress(database, email) : null;
    const credit = await database.transaction(async (tx) => {
      if (!(await useAddressLink(tx, hashToken(token)))) throw linkInvalid();
      await insertPerson(tx, { id: personId, name, email, at });
      await means.insert(tx, personId);
      if (!(await giveEmail(tx, personId, email))) throw emailTaken();
      return openOwnAccount(tx, { ...deps, signUp }, { email, addressHash, headers, by });
    });
    return { credit, session: { personId, ...means.session } };
  });
  if (credit === 'too_many') deps.log.warn('free_credit.withheld', { per_day: signUp.freeCreditsPerDay });
  return { next: 'done', cookies: await openSession(deps, headers, session) };
}

async function readLink({ database, signUp }: ConfirmDeps, token: string) {
  const link = await findAddressLink(database.read, hashToken(token));
  if (link?.purpose !== 'sign_up' || !signUp) throw linkInvalid();
  return { email: link.email, signUp };
}
