import type { Queries, Tx } from '../../db/schema.ts';

/** An authenticator as the sign-in library stores it. */
export interface SealedAuthenticator {
  id: string;
  /** Both are encrypted. */
  secret: string;
  backupCodes: string;
}

/** Of one person, or of everybody. */
export async function listAuthenticators(
  queries: Queries,
  personId?: string,
): Promise<SealedAuthenticator[]> {
  return queries
    .selectFrom('authenticators')
    .select(['id', 'secret', 'backup_codes as backupCodes'])
    .$if(personId !== undefined, (query) => query.where('person_id', '=', personId ?? ''))
    .execute();
}

/** False when somebody has used up a backup code since it was read. */
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
