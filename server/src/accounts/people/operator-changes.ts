import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import type { Tx } from '../../base/db/schema.ts';
import { isUuid } from '../../base/std/ids.ts';
import { AppError } from '../../errors.ts';
import { emailTaken } from './email.ts';
import { giveEmail, lockEmailOf } from './email-store.ts';
import { endSessionsByLinksOf, useUpLinksOf } from './link-store.ts';
import { type MadeLink, makeLink } from './panel-link.ts';
import { deletePasskeysOf } from './passkey-store.ts';
import { deleteOperatorIfOthers, endSessions, findPerson, type Person } from './people-store.ts';

interface Deps {
  database: Database;
}

/**
 * Removes an operator, and ends the sessions that were opened with the operator's links.
 * @throws AppError `not_found`; `invalid_request` for the last admin
 */
export async function removeOperator({ database }: Deps, personId: string, by: Actor): Promise<void> {
  await database.transaction(async (tx) => {
    const { id: subject } = await personOf(tx, personId);
    if (!(await deleteOperatorIfOthers(tx, subject)))
      throw new AppError('invalid_request', 'This person is not an operator, or is the last admin.');
    await endSessionsByLinksOf(tx, subject);
    await insertAuditEntry(tx, by, { action: 'operator.removed', accountId: null, subject, detail: {} });
  });
}

/** Ends the person's sessions and passkeys, which an intruder may have added. @throws AppError `not_found` */
export async function makeSignInLink({ database }: Deps, personId: string, by: Actor): Promise<MadeLink> {
  return database.transaction(async (tx) => {
    const { id: subject } = await personOf(tx, personId);
    await insertAuditEntry(tx, by, { action: 'link.made', accountId: null, subject, detail: {} });
    await useUpLinksOf(tx, subject);
    await endSessions(tx, subject);
    await deletePasskeysOf(tx, subject);
    return makeLink(tx, { kind: 'sign_in', personId: subject }, by);
  });
}

/** @throws AppError `not_found`; `invalid_request` if the email has changed since it was read */
export async function confirmEmail(
  { database }: Deps,
  { personId, email }: { personId: string; email: string },
  by: Actor,
): Promise<Person> {
  return database.transaction(async (tx) => {
    const { id: subject } = await personOf(tx, personId);
    await lockEmailOf(tx, subject, email);
    const { email: current } = await personOf(tx, subject);
    if (current !== email)
      throw new AppError(
        'invalid_request',
        'This person has changed their email in the meantime. Reload the page and check it.',
      );
    if (!(await giveEmail(tx, subject, email))) throw emailTaken();
    const detail = { email };
    await insertAuditEntry(tx, by, { action: 'person.email_confirmed', accountId: null, subject, detail });
    return personOf(tx, subject);
  });
}

async function personOf(tx: Tx, personId: string): Promise<Person> {
  const person = isUuid(personId) ? await findPerson(tx, personId) : undefined;
  if (!person) throw new AppError('not_found', 'There is no such person.');
  return person;
}
