import { type RawBuilder, sql } from 'kysely';
import { isPostgres, nowMs } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import { newId } from '../../base/std/ids.ts';
import type { Account } from '../account-store.ts';
import { lockEmail } from './email-store.ts';
import { columns, noEmailOf, type Person, toPerson } from './person-row.ts';
import type { MemberRole, OperatorRole } from './roles.ts';

export type { Person };

/** Adds a person. If another person has the email, the new person only claims it, and sees no difference. */
export async function insertPerson(
  tx: Tx,
  person: { id: string; name: string; email: string | null; at: number },
): Promise<void> {
  const { id, name, email, at } = person;
  if (email !== null) await lockEmail(tx, email);
  const time = new Date(at).toISOString();
  const insert = (own: { email: string; claimed_email: string | null }) =>
    tx
      .insertInto('people')
      .values({
        ...{ id, name, ...own, email_verified: 0, image: null, has_authenticator: 0 },
        ...{ language: null, browser_language: null },
        created_at: time,
        updated_at: time,
      })
      .onConflict((conflict) => conflict.column('email').doNothing())
      .executeTakeFirst();
  const made = await insert({ email: email ?? noEmailOf(id), claimed_email: null });
  if (made.numInsertedOrUpdatedRows === 0n) await insert({ email: noEmailOf(id), claimed_email: email });
}

export async function addPersonWithPassword(
  tx: Tx,
  { passwordHash, ...person }: { id: string; name: string; email: string; at: number; passwordHash: string },
): Promise<void> {
  await insertPerson(tx, person);
  await putPassword(tx, { id: newId(person.at), personId: person.id, passwordHash });
}

export async function findPerson(queries: Queries, personId: string): Promise<Person | undefined> {
  const row = await queries
    .selectFrom('people')
    .select(columns)
    .where('id', '=', personId)
    .executeTakeFirst();
  return row && toPerson(row);
}

export async function renamePerson(tx: Tx, personId: string, name: string): Promise<void> {
  await tx
    .updateTable('people')
    .set({ name, updated_at: new Date().toISOString() })
    .where('id', '=', personId)
    .execute();
}

export async function insertOperator(tx: Tx, personId: string, role: OperatorRole = 'admin'): Promise<void> {
  await tx
    .insertInto('operators')
    .values({ person_id: personId, created_at: nowMs, role })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function findOperatorRole(queries: Queries, personId: string): Promise<OperatorRole | null> {
  const row = await queries
    .selectFrom('operators')
    .select('role')
    .where('person_id', '=', personId)
    .executeTakeFirst();
  return row?.role ?? null;
}

/** Deletes an operator; false for the last admin, or if the person is not an operator. */
export async function deleteOperatorIfOthers(tx: Tx, personId: string): Promise<boolean> {
  // Locks all admins, so that of two who remove each other, the second sees the first's change.
  const admins = await tx
    .selectFrom('operators')
    .select('person_id')
    .where('role', '=', 'admin')
    .orderBy('person_id')
    .$if(isPostgres(tx), (query) => query.forUpdate())
    .execute();
  if (admins.every(({ person_id: id }) => id === personId)) return false;
  const result = await tx.deleteFrom('operators').where('person_id', '=', personId).executeTakeFirst();
  if (result.numDeletedRows === 0n) return false;
  await keepMakerName(tx, personId, sql`true`);
  return true;
}

/** Stores a leaving person's name in their shares, so that the account does not see later changes of the name. */
async function keepMakerName(tx: Tx, personId: string, ofLinks: RawBuilder<unknown>): Promise<void> {
  await sql`update shares set made_by = (select name from people where id = ${personId})
    where made_by_id = ${personId} and ${ofLinks}`.execute(tx);
}

/** Oldest first. */
export async function listOperators(queries: Queries): Promise<(Person & { role: OperatorRole })[]> {
  const rows = await queries
    .selectFrom('operators')
    .innerJoin('people', 'people.id', 'operators.person_id')
    .select(columns.map((column) => `people.${column}` as const))
    .select('operators.role')
    .orderBy('operators.created_at')
    .execute();
  return rows.map((row) => ({ ...toPerson(row), role: row.role }));
}

export async function insertMember(
  tx: Tx,
  { accountId, personId, role = 'owner' }: { accountId: string; personId: string; role?: MemberRole },
): Promise<void> {
  await tx
    .insertInto('members')
    .values({ account_id: accountId, person_id: personId, created_at: nowMs, role })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function deleteMember(
  tx: Tx,
  { accountId, personId }: { accountId: string; personId: string },
): Promise<boolean> {
  const result = await tx
    .deleteFrom('members')
    .where('account_id', '=', accountId)
    .where('person_id', '=', personId)
    .executeTakeFirst();
  if (result.numDeletedRows === 0n) return false;
  await keepMakerName(tx, personId, sql`account_id = ${accountId}`);
  return true;
}

export async function findMembership(
  queries: Queries,
  { accountId, personId }: { accountId: string; personId: string },
): Promise<{ role: MemberRole; disabledAt: number | null } | undefined> {
  return queries
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .select(['members.role', 'accounts.disabled_at as disabledAt'])
    .where('account_id', '=', accountId)
    .where('person_id', '=', personId)
    .executeTakeFirst();
}

export async function setMemberRole(
  tx: Tx,
  { accountId, personId, role }: { accountId: string; personId: string; role: MemberRole },
): Promise<boolean> {
  const result = await tx
    .updateTable('members')
    .set({ role })
    .where('account_id', '=', accountId)
    .where('person_id', '=', personId)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function listMembers(
  queries: Queries,
  accountId: string,
): Promise<(Person & { role: MemberRole })[]> {
  const rows = await queries
    .selectFrom('members')
    .innerJoin('people', 'people.id', 'members.person_id')
    .select(columns.map((column) => `people.${column}` as const))
    .select('members.role')
    .where('members.account_id', '=', accountId)
    .orderBy('members.created_at')
    .execute();
  return rows.map((row) => ({ ...toPerson(row), role: row.role }));
}

export async function hasOwner(queries: Queries, accountId: string): Promise<boolean> {
  const row = await queries
    .selectFrom('members')
    .select('person_id')
    .where('account_id', '=', accountId)
    .where('role', '=', 'owner')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export interface OwnedAlone {
  id: string;
  name: string;
  others: number;
}

/** Lists, by name, the accounts whose only owner is this person. Leaves out erased accounts. */
export async function listOwnedAlone(queries: Queries, personId: string): Promise<OwnedAlone[]> {
  const { rows } = await sql<{ id: string; name: string; others: number }>`
    select accounts.id, accounts.name,
      (select count(*) from members as other where other.account_id = accounts.id
        and other.person_id <> members.person_id) as others
    from members join accounts on accounts.id = members.account_id and accounts.erased_at is null
    where members.person_id = ${personId} and members.role = 'owner' and not exists (
      select 1 from members as other where other.account_id = members.account_id and other.role = 'owner'
        and other.person_id <> members.person_id)
    order by accounts.name`.execute(queries);
  return rows.map(({ id, name, others }) => ({ id, name, others: Number(others) }));
}

/** Lists a person's accounts by name; all accounts for an operator. */
export async function listAccountsOf(
  queries: Queries,
  person: { id: string; operator: boolean },
  limit: number,
): Promise<(Pick<Account, 'id' | 'name' | 'disabledAt'> & { role: MemberRole | null })[]> {
  const rows = await queries
    .selectFrom('accounts')
    .leftJoin('members', (join) =>
      join.onRef('members.account_id', '=', 'accounts.id').on('members.person_id', '=', person.id),
    )
    .select(['accounts.id', 'accounts.name', 'accounts.disabled_at', 'members.role'])
    .$if(!person.operator, (query) => query.where('members.person_id', 'is not', null))
    .orderBy(sql`lower(accounts.name)`)
    .limit(limit)
    .execute();
  return rows.map(({ id, name, disabled_at: disabledAt, role }) => ({ id, name, disabledAt, role }));
}

export async function hasPassword(queries: Queries, personId: string): Promise<boolean> {
  return (await findPasswordHash(queries, personId)) !== null;
}

export async function putPassword(
  tx: Tx,
  { id, personId, passwordHash }: { id: string; personId: string; passwordHash: string },
): Promise<void> {
  const time = new Date().toISOString();
  await tx
    .insertInto('sign_ins')
    .values({
      id,
      person_id: personId,
      provider_id: 'credential',
      subject: personId,
      password: passwordHash,
      created_at: time,
      updated_at: time,
    })
    .onConflict((conflict) =>
      conflict.columns(['provider_id', 'subject']).doUpdateSet({ password: passwordHash, updated_at: time }),
    )
    .execute();
}

export async function findPasswordHash(queries: Queries, personId: string): Promise<string | null> {
  const row = await queries
    .selectFrom('sign_ins')
    .select('password')
    .where('provider_id', '=', 'credential')
    .where('subject', '=', personId)
    .executeTakeFirst();
  return row?.password ?? null;
}

/** Whether at least one person can sign in without a link. */
export async function isAnyPasswordSet(queries: Queries): Promise<boolean> {
  const row = await queries.selectFrom('sign_ins').select('id').limit(1).executeTakeFirst();
  return row !== undefined;
}

export async function hasEverSignedIn(queries: Queries, personId: string): Promise<boolean> {
  const link = await queries
    .selectFrom('panel_links')
    .select('token_hash')
    .where('person_id', '=', personId)
    .where('used_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return link !== undefined || (await hasPassword(queries, personId));
}

/** Whether a session is open. Until the transaction ends, it stays open; waits for a transaction that is ending it. */
export async function lockSession(tx: Tx, token: string): Promise<boolean> {
  const row = await tx
    .selectFrom('sessions')
    .select('id')
    .where('token', '=', token)
    .$if(isPostgres(tx), (query) => query.forShare())
    .executeTakeFirst();
  return row !== undefined;
}

export async function endSession(tx: Tx, token: string): Promise<void> {
  await tx.deleteFrom('sessions').where('token', '=', token).execute();
}

/** Locks a person's password and second factor. Undefined without a password. */
export async function lockFactors(
  tx: Tx,
  personId: string,
): Promise<{ passwordHash: string | null; hasAuthenticator: boolean } | undefined> {
  const row = await tx
    .selectFrom('people')
    .innerJoin('sign_ins', 'sign_ins.person_id', 'people.id')
    .select(['sign_ins.password', 'people.has_authenticator'])
    .where('people.id', '=', personId)
    .where('sign_ins.provider_id', '=', 'credential')
    .$if(isPostgres(tx), (query) => query.forShare())
    .executeTakeFirst();
  return row && { passwordHash: row.password, hasAuthenticator: row.has_authenticator === 1 };
}

export async function endSessions(
  tx: Tx,
  personId: string,
  { except = '' }: { except?: string } = {},
): Promise<void> {
  await tx.deleteFrom('sessions').where('person_id', '=', personId).where('token', '<>', except).execute();
}

export async function deleteExpiredSessions(
  tx: Tx,
  { maxSessionMs }: { maxSessionMs: number },
): Promise<void> {
  const now = new Date().toISOString();
  const tooOld = new Date(Date.now() - maxSessionMs).toISOString();
  await tx
    .deleteFrom('sessions')
    .where(({ eb, or }) => or([eb('expires_at', '<', now), eb('created_at', '<', tooOld)]))
    .execute();
  await tx.deleteFrom('verifications').where('expires_at', '<', now).execute();
}
