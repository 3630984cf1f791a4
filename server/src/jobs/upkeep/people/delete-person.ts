import { spellEmail } from '../../../accounts/people/email.ts';
import { findPeopleByEmail } from '../../../accounts/people/email-store.ts';
import { listMemberships } from '../../../accounts/people/own-data-store.ts';
import {
  findOperatorRole,
  findPerson,
  listOwnedAlone,
  type Person,
} from '../../../accounts/people/people-store.ts';
import { type Actor, insertAuditEntry } from '../../../base/audit/audit-store.ts';
import type { Database } from '../../../base/db/database.ts';
import type { Queries, Tx } from '../../../base/db/schema.ts';
import { isUuid } from '../../../base/std/ids.ts';
import { AppError } from '../../../errors.ts';
import { type LockedAccount, lockBalances } from '../../../money/ledger/ledger-store.ts';
import { erasePeople } from '../erase-store.ts';
import { noteErased, overwriteErased } from '../overwrite-erased.ts';

/**
 * Deletes a person's data and their traces in the audit log. Keys belong to accounts and stay.
 * @throws AppError `not_found`; `invalid_request` for an operator, and for the only owner of an account
 */
export async function deletePerson(
  { database }: { database: Database },
  { person: idOrEmail }: { person: string },
  by: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    const person = await findOne(tx, idOrEmail);
    if (!person) throw new AppError('not_found', 'There is no such person.');
    const { id } = person;
    await assertNoOperator(tx, id);
    await lockAccountsOf(tx, id);
    const accounts = await listOwnedAlone(tx, id);
    if (accounts.length > 0)
      throw new AppError(
        'invalid_request',
        `This person is the only owner of ${accounts.map(({ name }) => name).join(', ')}. First make another person an owner, or remove this person there.`,
      );
    await erasePerson(tx, id, by);
  });
  await overwriteErased(database);
}

/** Locks a person's accounts, so that nobody joins, leaves or pays meanwhile and the number of owners stays right. */
export async function lockAccountsOf(tx: Tx, personId: string): Promise<LockedAccount[]> {
  const memberships = await listMemberships(tx, personId);
  return lockBalances(
    tx,
    memberships.map(({ accountId }) => accountId),
  );
}

export async function assertNoOperator(queries: Queries, personId: string): Promise<void> {
  if ((await findOperatorRole(queries, personId)) !== null)
    throw new AppError(
      'invalid_request',
      'This person is an operator. Remove them as an operator first, in the panel.',
    );
}

/** Deletes the person. The caller must call `overwriteErased` afterwards. */
export async function erasePerson(tx: Tx, id: string, by: Actor): Promise<void> {
  await insertAuditEntry(tx, by, { action: 'person.deleted', accountId: null, subject: id, detail: {} });
  await erasePeople(tx, [id]);
  await noteErased(tx);
}

async function findOne(queries: Queries, idOrEmail: string): Promise<Person | undefined> {
  if (isUuid(idOrEmail)) return findPerson(queries, idOrEmail);
  const [person, ...others] = await findPeopleByEmail(queries, spellEmail(idOrEmail));
  if (others.length === 0) return person;
  throw new AppError(
    'invalid_request',
    'Several people claim this email address. Give the id of one of them.',
  );
}
