import { isPostgres, nowMs } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';

export interface Passkey {
  id: string;
  personId: string;
  name: string;
  /** The id that the device gave the passkey, base64url. */
  credentialId: string;
  /** COSE, base64url. */
  publicKey: string;
  /** The device's signature counter; always 0 if the device has none. */
  uses: number;
  createdAt: number;
  usedAt: number | null;
}

export async function listPasskeys(queries: Queries, personId: string): Promise<Passkey[]> {
  return selectPasskeys(queries).where('person_id', '=', personId).orderBy('created_at').execute();
}

export async function findPasskey(queries: Queries, credentialId: string): Promise<Passkey | undefined> {
  return selectPasskeys(queries).where('credential_id', '=', credentialId).executeTakeFirst();
}

function selectPasskeys(queries: Queries) {
  return queries
    .selectFrom('passkeys')
    .select(['id', 'person_id as personId', 'name', 'credential_id as credentialId'])
    .select(['public_key as publicKey', 'uses', 'created_at as createdAt', 'used_at as usedAt']);
}

export async function isAnyPasskey(queries: Queries): Promise<boolean> {
  return (await queries.selectFrom('passkeys').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Whether a person can sign in with a passkey, but has neither a password nor single sign-on. */
export async function hasPasskeysAlone(queries: Queries, personId: string): Promise<boolean> {
  const passkey = await queries
    .selectFrom('passkeys')
    .select('id')
    .where('person_id', '=', personId)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('sign_ins').select('id').where('person_id', '=', personId))),
    )
    .limit(1)
    .executeTakeFirst();
  return passkey !== undefined;
}

/** Locks the person, so that no other passkey is added. Returns their email address if it is confirmed. */
export async function lockOwner(tx: Tx, personId: string): Promise<string | null> {
  const person = await tx
    .selectFrom('people')
    .select(['email', 'email_verified as confirmed'])
    .where('id', '=', personId)
    .$if(isPostgres(tx), (query) => query.forUpdate())
    .executeTakeFirst();
  return person?.confirmed === 1 ? person.email : null;
}

export async function insertPasskey(
  tx: Tx,
  passkey: Omit<Passkey, 'createdAt' | 'usedAt'>,
): Promise<boolean> {
  const made = await tx
    .insertInto('passkeys')
    .values({
      ...{ id: passkey.id, person_id: passkey.personId, name: passkey.name, uses: passkey.uses },
      ...{ credential_id: passkey.credentialId, public_key: passkey.publicKey },
      ...{ created_at: nowMs, used_at: null },
    })
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .returning('id')
    .executeTakeFirst();
  return made !== undefined;
}

/** Counts a use; false if the passkey or its counter has changed since it was read. */
export async function noteUse(tx: Tx, { id, uses: before }: Passkey, uses: number): Promise<boolean> {
  const noted = await tx
    .updateTable('passkeys')
    .set({ uses, used_at: nowMs })
    .where('id', '=', id)
    .where('uses', '=', before)
    .returning('id')
    .executeTakeFirst();
  return noted !== undefined;
}

/** Deletes a passkey and ends its sessions, except the one given. Undefined if there is no such passkey. */
export async function deletePasskey(
  tx: Tx,
  { id, personId }: Pick<Passkey, 'id' | 'personId'>,
  { except }: { except: string },
): Promise<{ name: string } | undefined> {
  // The excepted session continues as if a password had opened it, so an authenticator can be required.
  await tx
    .updateTable('sessions')
    .set({ passkey_id: null })
    .where('token', '=', except)
    .where('passkey_id', '=', id)
    .execute();
  return tx
    .deleteFrom('passkeys')
    .where('id', '=', id)
    .where('person_id', '=', personId)
    .returning('name')
    .executeTakeFirst();
}

/** Deletes all passkeys of a person, and ends the sessions that they opened. */
export async function deletePasskeysOf(tx: Tx, personId: string): Promise<void> {
  await tx.deleteFrom('passkeys').where('person_id', '=', personId).execute();
}
