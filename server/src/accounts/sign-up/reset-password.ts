import { insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import type { Clock } from '../../base/std/clock.ts';
import { newId } from '../../base/std/ids.ts';
import { linkInvalid } from '../open-link.ts';
import { findAddressLink, useAddressLink } from '../people/address-link-store.ts';
import { spellEmail } from '../people/email.ts';
import { findConfirmedPerson } from '../people/email-store.ts';
import { insertEmail } from '../people/outbox-store.ts';
import { hashToken } from '../people/panel-link.ts';
import { hashNewPassword } from '../people/password.ts';
import { endSessions, findPerson, putPassword } from '../people/people-store.ts';
import { takeAddressTry, takeNetworkTry } from './email-limits.ts';

interface ResetDeps {
  database: Database;
  clock: Clock;
}

/**
 * Sends the person whose address this is a link by which they set a new password. The answer is the same where nobody has
 * it, or nobody has confirmed it.
 *
 * @throws AppError `too_many_requests`
 */
export async function requestPasswordReset(
  { database, clock }: ResetDeps,
  { email: text, clientAddress }: { email: string; clientAddress: string },
): Promise<void> {
  const email = spellEmail(text);
  await database.transaction((tx) => takeNetworkTry(tx, 'password_reset', clientAddress));
  await database.transaction(async (tx) => {
    await takeAddressTry(tx, 'password_reset', email);
    const person = await findConfirmedPerson(tx, email);
    const id = newId(clock.nowMs());
    if (person) await insertEmail(tx, { id, kind: 'password_reset', email, personId: person.id });
  });
}

/**
 * Sets the password of whoever opened such a link, ends all of their sessions, and tells them by email. A second factor
 * stays what it is: they sign in with it.
 *
 * @returns whose it is now @throws AppError `panel_link_invalid`, `invalid_request`
 */
export async function resetPassword(
  { database, clock }: ResetDeps,
  { address }: { address: string },
  { token, password }: { token: string; password: string },
): Promise<{ email: string }> {
  const link = await findAddressLink(database.read, hashToken(token));
  if (link?.purpose !== 'password_reset') throw linkInvalid();
  const { email, personId } = link;
  const person = await findPerson(database.read, personId);
  // The address may have become somebody else's since.
  if (person?.email !== email || !person.emailConfirmed) throw linkInvalid();
  const { name } = person;
  const passwordHash = await hashNewPassword(password, { name, email });
  await database.transaction(async (tx) => {
    if (!(await useAddressLink(tx, hashToken(token)))) throw linkInvalid();
    await putPassword(tx, { id: newId(clock.nowMs()), personId, passwordHash });
    await endSessions(tx, personId);
    await insertEmail(tx, { id: newId(clock.nowMs()), kind: 'password_changed', email, personId });
    const entry = { action: 'password.reset' as const, accountId: null, subject: personId, detail: {} };
    await insertAuditEntry(tx, { personId, name, address }, entry);
  });
  return { email };
}
