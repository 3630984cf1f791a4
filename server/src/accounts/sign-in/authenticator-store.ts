import { isPostgres } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import type { CodeState } from './decide-code.ts';

export interface SealedAuthenticator {
  id: string;
  /** Encrypted, as is `backupCodes`. */
  secret: string;
  backupCodes: string;
  /** True once the person has entered a first code. Then sign-in requires a code. */
  confirmed: boolean;
}

export async function listAuthenticators(
  queries: Queries,
  personId?: string,
): Promise<SealedAuthenticator[]> {
  const rows = await queries
    .selectFrom('authenticators')
    .select(['id', 'secret', 'backup_codes as backupCodes', 'verified'])
    .$if(personId !== undefined, (query) => query.where('person_id', '=', personId ?? ''))
    .execute();
  return rows.map(({ verified, ...sealed }) => ({ ...sealed, confirmed: verified !== 0 }));
}

/** Returns false if the authenticator has changed since it was read, for example because a backup code was used. */
export async function replaceSealsIfUnchanged(
  tx: Tx,
  { id, ...before }: SealedAuthenticator,
  after: { secret: string; backupCodes: string },
): Promise<boolean> {
  const result = await tx
    .updateTable('authenticators')
    .set({ secret: after.secret, backup_codes: after.backupCodes })
    .where('id', '=', id)
    .where('secret', '=', before.secret)
    .where('backup_codes', '=', before.backupCodes)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Locks the state of the codes, so that concurrent tries wait. Undefined if the authenticator has changed. */
export async function lockCodeState(tx: Tx, sealed: SealedAuthenticator): Promise<CodeState | undefined> {
  const row = await tx
    .selectFrom('authenticators')
    .select(['failures', 'locked_until', 'last_step'])
    .where('id', '=', sealed.id)
    .where('secret', '=', sealed.secret)
    .where('backup_codes', '=', sealed.backupCodes)
    .$if(isPostgres(tx), (query) => query.forUpdate())
    .executeTakeFirst();
  return (
    row && {
      failures: row.failures ?? 0,
      lockedUntil: row.locked_until === null ? 0 : Date.parse(row.locked_until),
      lastStep: row.last_step ?? 0,
    }
  );
}

export async function putCodeState(
  tx: Tx,
  { id, backupCodes }: SealedAuthenticator,
  { failures, lockedUntil, lastStep }: CodeState,
): Promise<void> {
  await tx
    .updateTable('authenticators')
    .set({
      failures,
      locked_until: lockedUntil === 0 ? null : new Date(lockedUntil).toISOString(),
      last_step: lastStep,
      backup_codes: backupCodes,
    })
    .where('id', '=', id)
    .execute();
}

/** Resets the count of wrong codes after an operator has vouched for the person. */
export async function forgetWrongCodes(tx: Tx, personId: string): Promise<void> {
  await tx
    .updateTable('authenticators')
    .set({ failures: 0, locked_until: null })
    .where('person_id', '=', personId)
    .execute();
}

/**
 * Replaces an authenticator that is not confirmed; its wrong codes still count. Returns false if there is a confirmed
 * one.
 */
export async function putUnconfirmed(
  tx: Tx,
  personId: string,
  { secret, backupCodes }: { secret: string; backupCodes: string },
): Promise<boolean> {
  const rows = await tx
    .selectFrom('authenticators')
    .select(['id', 'verified'])
    .where('person_id', '=', personId)
    .$if(isPostgres(tx), (query) => query.forUpdate())
    .execute();
  if (rows.some(({ verified }) => verified !== 0)) return false;
  // Two set-ups at once insert the same id, so that a person has one authenticator.
  const id = rows[0]?.id ?? personId;
  const set = { secret, backup_codes: backupCodes };
  const result = await tx
    .insertInto('authenticators')
    .values({ id, person_id: personId, verified: 0, ...set })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(set).where('authenticators.verified', '=', 0))
    .executeTakeFirst();
  if ((result.numInsertedOrUpdatedRows ?? 0n) === 0n) return false;
  await tx.deleteFrom('authenticators').where('person_id', '=', personId).where('id', '!=', id).execute();
  return true;
}

/** Requires a code at each sign-in from now on. The caller has locked the authenticator. */
export async function putConfirmed(tx: Tx, personId: string, authenticatorId: string): Promise<void> {
  await tx.updateTable('authenticators').set({ verified: 1 }).where('id', '=', authenticatorId).execute();
  await tx.updateTable('people').set({ has_authenticator: 1 }).where('id', '=', personId).execute();
}

/** If it returns false, the caller must roll back, because an unconfirmed authenticator is deleted too. */
export async function deleteIfConfirmed(tx: Tx, personId: string): Promise<boolean> {
  // Locks the same row first as a confirmation.
  await tx.deleteFrom('authenticators').where('person_id', '=', personId).execute();
  const result = await tx
    .updateTable('people')
    .set({ has_authenticator: 0 })
    .where('id', '=', personId)
    .where('has_authenticator', '=', 1)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
