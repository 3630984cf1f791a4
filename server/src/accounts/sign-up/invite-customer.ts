import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import { newId } from '../../base/std/ids.ts';
import { AppError, invalidField } from '../../errors.ts';
import { parseEmail } from '../people/email.ts';
import { findConfirmedPerson } from '../people/email-store.ts';
import { insertEmail } from '../people/outbox-store.ts';
import type { SignUpDeps } from './request-sign-up.ts';

/** Works even if sign-up is by invitation only. @throws AppError `not_found` if sign-up is off, `invalid_request` */
export async function inviteCustomer(
  { database, clock, signUp }: SignUpDeps,
  { email: text }: { email: string },
  by: Actor,
): Promise<void> {
  if (!signUp) throw new AppError('not_found', 'Sign-up is off: set DARKROOM_SIGN_UP.');
  const email = parseEmail(text);
  await database.transaction(async (tx) => {
    if (await findConfirmedPerson(tx, email)) throw invalidField('/email', 'has an account already.');
    await insertEmail(tx, { id: newId(clock.nowMs()), kind: 'invited', email, personId: null });
    // Omits the email address, because the log may be kept for ever.
    const entry = { action: 'customer.invited' as const, accountId: null, subject: null, detail: {} };
    await insertAuditEntry(tx, by, entry);
  });
}
