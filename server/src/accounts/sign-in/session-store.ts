import type { Queries, Tx } from '../../base/db/schema.ts';
import { newId } from '../../base/std/ids.ts';
import { meansOf, type Viewer } from './sessions.ts';

export interface OpenSession {
  id: string;
  token: string;
  via: Viewer['via'];
  address: string | null;
  userAgent: string | null;
  /** ISO 8601, as the sign-in library writes them. */
  createdAt: string;
  renewedAt: string;
}

// The maximum number of sessions listed, which fit on a page. A script that signs in may leave more.
const maxSessions = 100;

/** Newest first. */
export async function listSessions(queries: Queries, personId: string): Promise<OpenSession[]> {
  const rows = await queries
    .selectFrom('sessions')
    .select(['id', 'token', 'via', 'passkey_id as passkeyId', 'ip_address as address'])
    .select(['user_agent as userAgent', 'created_at as createdAt', 'updated_at as renewedAt'])
    .where('person_id', '=', personId)
    .where('expires_at', '>', new Date().toISOString())
    .orderBy('created_at', 'desc')
    .limit(maxSessions)
    .execute();
  return rows.map(({ passkeyId, ...session }) => ({ ...session, via: meansOf({ ...session, passkeyId }) }));
}

export async function deleteSession(tx: Tx, session: { id: string; personId: string }): Promise<boolean> {
  const result = await tx
    .deleteFrom('sessions')
    .where('id', '=', session.id)
    .where('person_id', '=', session.personId)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function countSessions(queries: Queries): Promise<number> {
  const { count } = await queries
    .selectFrom('sessions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('expires_at', '>', new Date().toISOString())
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function endAllSessions(tx: Tx): Promise<void> {
  await tx.deleteFrom('sessions').execute();
}

/** Inserts a sign-in. `subject` is the provider's id of the person. False if another person has it. */
export async function insertProviderSignIn(
  tx: Tx,
  { personId, provider, subject, at }: { personId: string; provider: string; subject: string; at: number },
): Promise<boolean> {
  const time = new Date(at).toISOString();
  const made = { id: newId(at), person_id: personId, created_at: time, updated_at: time };
  const { numInsertedOrUpdatedRows: rows } = await tx
    .insertInto('sign_ins')
    .values({ ...made, provider_id: provider, subject })
    .onConflict((conflict) => conflict.columns(['provider_id', 'subject']).doNothing())
    .executeTakeFirst();
  return (rows ?? 0n) > 0n;
}
