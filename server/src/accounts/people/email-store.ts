import { sql } from 'kysely';
import { isPostgres } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import { columns, noEmailOf, type Person, toPerson } from './person-row.ts';

/** Finds the email's owner, who confirmed it or else gave it first. Adds the oldest people who only claim the email. */
export async function findPeopleByEmail(queries: Queries, email: string): Promise<Person[]> {
  const owner = await findOwner(queries, email);
  const claims = await queries
    .selectFrom('people')
    .select(columns)
    .where('claimed_email', '=', email)
    .orderBy('created_at')
    .orderBy('id')
    .limit(maxClaims)
    .execute();
  return [...(owner ? [owner] : []), ...claims.map(toPerson)];
}

export async function findConfirmedPerson(queries: Queries, email: string): Promise<Person | undefined> {
  const owner = await findOwner(queries, email);
  return owner?.emailConfirmed ? owner : undefined;
}

/** The maximum number of claims that are read, because a sign-in checks the password of each. */
const maxClaims = 3;

async function findOwner(queries: Queries, email: string): Promise<Person | undefined> {
  const row = await queries
    .selectFrom('people')
    .select(columns)
    .where('email', '=', email)
    .executeTakeFirst();
  return row && toPerson(row);
}

/** Locks an email until the transaction ends, so that it gets only one owner. SQLite has only one writer anyway. */
export async function lockEmail(tx: Tx, email: string): Promise<void> {
  if (isPostgres(tx))
    await sql`select pg_advisory_xact_lock(hashtextextended(${`email ${email}`}, 0))`.execute(tx);
}

/** Locks an email, then its person, in the order of `giveEmail`: until the transaction ends, the person keeps it. */
export async function lockEmailOf(tx: Tx, personId: string, email: string): Promise<void> {
  await lockEmail(tx, email);
  if (isPostgres(tx))
    await tx.selectFrom('people').select('id').where('id', '=', personId).forUpdate().execute();
}

export async function claimEmail(tx: Tx, personId: string, email: string): Promise<void> {
  await lockEmail(tx, email);
  const owner = await findOwner(tx, email);
  const isFree = owner === undefined || owner.id === personId;
  const set = isFree ? { email, claimed_email: null } : { email: noEmailOf(personId), claimed_email: email };
  await tx
    .updateTable('people')
    .set({ ...set, email_verified: 0, updated_at: now() })
    .where('id', '=', personId)
    .execute();
}

/** Confirms the person's email. An unconfirmed owner keeps a mere claim. False if another person has confirmed it. */
export async function giveEmail(tx: Tx, personId: string, email: string): Promise<boolean> {
  await lockEmail(tx, email);
  const owner = await findOwner(tx, email);
  if (owner && owner.id !== personId) {
    if (owner.emailConfirmed) return false;
    await tx
      .updateTable('people')
      .set({ email: noEmailOf(owner.id), claimed_email: email })
      .where('id', '=', owner.id)
      .execute();
  }
  await tx
    .updateTable('people')
    .set({ email, claimed_email: null, email_verified: 1, updated_at: now() })
    .where('id', '=', personId)
    .execute();
  return true;
}

function now(): string {
  return new Date().toISOString();
}
