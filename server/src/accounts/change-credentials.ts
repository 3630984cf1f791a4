import { insertAuditEntry } from '../base/audit/audit-store.ts';
import type { Database } from '../base/db/database.ts';
import type { Clock } from '../base/std/clock.ts';
import { newId } from '../base/std/ids.ts';
import { endAddressLinks } from './people/address-link-store.ts';
import { emailTaken, parseEmail } from './people/email.ts';
import { claimEmail, giveEmail } from './people/email-store.ts';
import { insertEmail } from './people/outbox-store.ts';
import { hashNewPassword } from './people/password.ts';
import { endSessions, findPerson, putPassword, renamePerson } from './people/people-store.ts';
import { proveOneself } from './sign-in/assert-oneself.ts';
import { assertStillOpen, type Viewer } from './sign-in/sessions.ts';

export interface NewCredentials {
  name?: string;
  email?: string;
  password?: string;
  current_password?: string;
}

/**
 * A new email address or password ends the person's other sessions and open password-reset links.
 * @throws AppError `sign_in_refused` without the current password, or without a recent sign-in if the person has no
 * password; `session_missing` if the session ends meanwhile; `invalid_request`
 */
export async function changeCredentials(
  { database, clock }: { database: Database; clock: Clock },
  { viewer, address }: { viewer: Viewer; address: string },
  { name, email: emailText, password, current_password: current }: NewCredentials,
): Promise<void> {
  const email = emailText === undefined ? undefined : parseEmail(emailText);
  const isGuarded = email !== undefined || password !== undefined;
  if (isGuarded && !viewer.mayResetPassword) await proveOneself(database, { viewer, address }, current);
  const { personId } = viewer;
  const person = await findPerson(database.read, personId);
  const passwordHash =
    password === undefined
      ? undefined
      : await hashNewPassword(password, { name: name ?? viewer.name, email: email ?? person?.email ?? null });
  await database.transaction(async (tx) => {
    if (isGuarded && person?.email)
      await endAddressLinks(tx, { email: person.email, purpose: 'password_reset' });
    const trimmed = name?.trim();
    if (trimmed) await renamePerson(tx, personId, trimmed);
    if (email !== undefined && email !== person?.email) {
      // An admin's own new email counts as confirmed. An operator has to confirm everyone else's.
      if (viewer.operatorRole !== 'admin') await claimEmail(tx, personId, email);
      else if (!(await giveEmail(tx, personId, email))) throw emailTaken();
    }
    if (passwordHash !== undefined)
      await putPassword(tx, { id: newId(clock.nowMs()), personId, passwordHash });
    // Goes to the previous email address, because an intruder may have changed the address in the same call.
    if (passwordHash !== undefined && person?.email && person.emailConfirmed)
      await insertEmail(tx, {
        id: newId(clock.nowMs()),
        kind: 'password_changed',
        email: person.email,
        personId,
      });
    await assertStillOpen(tx, viewer);
    if (isGuarded) await endSessions(tx, personId, { except: viewer.token });
    const detail = { email: email !== undefined, password: password !== undefined, name: Boolean(trimmed) };
    await insertAuditEntry(tx, viewer, {
      action: 'person.changed',
      accountId: null,
      subject: personId,
      detail,
    });
  });
}
