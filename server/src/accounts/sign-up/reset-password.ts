import { insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import type { Queries } from '../../base/db/schema.ts';
import type { Clock } from '../../base/std/clock.ts';
import { newId } from '../../base/std/ids.ts';
import type { Captcha } from '../captcha/captcha.ts';
import { linkInvalid } from '../open-link.ts';
import { type AddressLink, findAddressLink, useAddressLink } from '../people/address-link-store.ts';
import { spellEmail } from '../people/email.ts';
import { findConfirmedPerson } from '../people/email-store.ts';
import { useUpLinksOf } from '../people/link-store.ts';
import { insertEmail } from '../people/outbox-store.ts';
import { hashToken } from '../people/panel-link.ts';
import { deletePasskeysOf, hasPasskeysAlone } from '../people/passkey-store.ts';
import { hashNewPassword } from '../people/password.ts';
import {
  endSessions,
  findOperatorRole,
  findPerson,
  hasPassword,
  type Person,
  putPassword,
} from '../people/people-store.ts';
import { type Browser, passPassword, type SignInDeps } from '../sign-in/sign-in.ts';
import { withinLimits } from '../sign-in/sign-in-limits.ts';
import { mailedLinkTry, sendIfFew, takeNetworkTry } from './email-limits.ts';
import type { AskedFor } from './request-sign-up.ts';

/**
 * Gives the same answer whether or not the address has an account.
 * @throws AppError `too_many_requests`, `captcha_refused`, `captcha_unavailable`
 */
export async function requestPasswordReset(
  { database, clock, captcha }: { database: Database; clock: Clock; captcha: Captcha | null },
  { email: text, captcha: token, clientAddress }: AskedFor,
): Promise<void> {
  const email = spellEmail(text);
  await database.transaction((tx) => takeNetworkTry(tx, 'password_reset', clientAddress));
  await captcha?.assertPassed(token);
  await database.transaction(async (tx) => {
    const person = await findConfirmedPerson(tx, email);
    const isSent = person !== undefined && (await setsPasswordByEmail(tx, person));
    const link = { id: newId(clock.nowMs()), kind: 'password_reset', email } as const;
    await sendIfFew(tx, 'password_reset', isSent ? { ...link, personId: person.id } : null);
  });
}

/**
 * Sets a new password. Ends the person's sessions, passkeys and other links, and notifies the person. Sign-in still
 * needs the second factor.
 * @throws AppError `panel_link_invalid`, `invalid_request`, `too_many_requests`
 */
export async function resetPassword(
  deps: SignInDeps,
  browser: Browser,
  { token, password }: { token: string; password: string },
): ReturnType<typeof passPassword> {
  const { database, clock } = deps;
  const { address } = browser;
  const tokenHash = hashToken(token);
  const { email, name } = await whoseLink(database.read, await findAddressLink(database.read, tokenHash));
  const changed = await withinLimits(database, mailedLinkTry(address), async () => {
    const passwordHash = await hashNewPassword(password, { name, email });
    return database.transaction(async (tx) => {
      const person = await whoseLink(tx, await useAddressLink(tx, tokenHash));
      const { id: personId } = person;
      await putPassword(tx, { id: newId(clock.nowMs()), personId, passwordHash });
      await endSessions(tx, personId);
      await deletePasskeysOf(tx, personId);
      await useUpLinksOf(tx, personId);
      await insertEmail(tx, { id: newId(clock.nowMs()), kind: 'password_changed', email, personId });
      const entry = { action: 'password.reset' as const, accountId: null, subject: personId, detail: {} };
      await insertAuditEntry(tx, { personId, name, address }, entry);
      return { person, passwordHash };
    });
  });
  return passPassword(deps, browser, changed);
}

/** @throws AppError `panel_link_invalid`, also if the person's email address has changed */
async function whoseLink(
  queries: Queries,
  link: AddressLink | undefined,
): Promise<Person & { email: string }> {
  if (link?.purpose !== 'password_reset') throw linkInvalid();
  const { email, personId } = link;
  const person = await findPerson(queries, personId);
  if (person?.email !== email || !person.emailConfirmed) throw linkInvalid();
  if (!(await setsPasswordByEmail(queries, person))) throw linkInvalid();
  return { ...person, email };
}

/**
 * Whether a person may set a password by email: not with single sign-on alone, which a password would bypass, nor as an
 * operator without an authenticator.
 */
async function setsPasswordByEmail(
  queries: Queries,
  { id, hasAuthenticator }: Pick<Person, 'id' | 'hasAuthenticator'>,
): Promise<boolean> {
  if (!(await hasPassword(queries, id)) && !(await hasPasskeysAlone(queries, id))) return false;
  return hasAuthenticator || (await findOperatorRole(queries, id)) === null;
}
