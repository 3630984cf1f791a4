import { sql } from 'kysely';
import { isPostgres, nowMs } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import type { Language } from './language.ts';

/** Emails to people about themselves. Notices to accounts are deliveries. */
export const emailKinds = [
  /** A link that creates a person and their account. */
  'sign_up',
  /** A link like `sign_up`, sent by an operator. */
  'invited',
  /** The answer to a sign-up with an email address that already has an account. */
  'sign_up_known',
  'welcome',
  'password_reset',
  'password_changed',
  'passkey_added',
  /** Informs operators about models that lose money. */
  'margins',
] as const;
export type EmailKind = (typeof emailKinds)[number];

export interface OutgoingEmail {
  id: string;
  kind: EmailKind;
  email: string;
  /** The person with this email address, if there is one. */
  personId: string | null;
  /** The data that this kind of email needs, as JSON. */
  data?: string | null;
  /** The language of the request, if no person is known. */
  language?: Language | null;
}

/** An email under a lease. `attempt` counts from 1, so that holders of earlier leases cannot delete the email. */
export interface ClaimedEmail extends OutgoingEmail {
  attempt: number;
}

/** How long emails that could not be sent are kept. After a day, people have given up or requested another. */
const keptMs = 24 * 60 * 60 * 1000;
/** Kinds that nobody would request again if they were lost: they must outlast a weekend without a mail server. */
const keptLonger: EmailKind[] = ['margins'];
const keptLongerMs = 7 * keptMs;

export async function insertEmail(
  tx: Tx,
  { id, kind, email, personId, data = null, language = null }: OutgoingEmail,
): Promise<void> {
  await tx
    .insertInto('outgoing_emails')
    .values({
      id,
      kind,
      email,
      person_id: personId,
      data,
      language,
      claimable_at: nowMs,
      created_at: nowMs,
    })
    .execute();
}

export const isAnyEmailWaiting = sql<boolean>`exists (select 1 from outgoing_emails)`;

export async function isAnyEmailDue(queries: Queries): Promise<boolean> {
  const row = await queries
    .selectFrom('outgoing_emails')
    .select('id')
    .where('claimable_at', '<=', nowMs)
    .where('kind', 'in', emailKinds)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Claims emails. Skips kinds known only to a newer version, which may run beside this one during an upgrade. */
export async function claimEmails(
  tx: Tx,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<ClaimedEmail[]> {
  const rows = await tx
    .updateTable('outgoing_emails')
    .set({ attempt: sql<number>`attempt + 1`, claimable_at: sql<number>`${nowMs} + ${sql.lit(leaseMs)}` })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('outgoing_emails')
        .select('id')
        .where('claimable_at', '<=', nowMs)
        .where('kind', 'in', emailKinds)
        .orderBy('claimable_at')
        .limit(limit)
        .$if(isPostgres(tx), (query) => query.forUpdate().skipLocked()),
    )
    .returning(['id', 'kind', 'email', 'person_id as personId', 'data', 'language', 'attempt'])
    .execute();
  // The query returns only these kinds and languages.
  return rows.map(({ kind, language, ...row }) => ({
    ...{ ...row, kind: kind as EmailKind, language: language as Language | null },
  }));
}

/** Locks an email until the transaction ends. False if it was sent or dropped. */
export async function lockEmailIfWaiting(tx: Tx, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('outgoing_emails')
    .select('id')
    .where('id', '=', id)
    .$if(isPostgres(tx), (query) => query.forUpdate())
    .executeTakeFirst();
  return row !== undefined;
}

export async function dropEmails(
  tx: Tx,
  { kind, email }: Pick<OutgoingEmail, 'kind' | 'email'>,
): Promise<void> {
  await tx.deleteFrom('outgoing_emails').where('kind', '=', kind).where('email', '=', email).execute();
}

export async function deleteEmailIfOurs(
  tx: Tx,
  { id, attempt }: Pick<ClaimedEmail, 'id' | 'attempt'>,
): Promise<void> {
  await tx.deleteFrom('outgoing_emails').where('id', '=', id).where('attempt', '=', attempt).execute();
}

export async function postponeEmailIfOurs(
  tx: Tx,
  { id, attempt }: Pick<ClaimedEmail, 'id' | 'attempt'>,
  delayMs: number,
): Promise<void> {
  await tx
    .updateTable('outgoing_emails')
    .set({ claimable_at: sql<number>`${nowMs} + ${sql.lit(delayMs)}` })
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .execute();
}

export async function sweepEmails(tx: Tx): Promise<number> {
  const result = await tx
    .deleteFrom('outgoing_emails')
    .where('created_at', '<', sql<number>`${nowMs} - ${sql.lit(keptMs)}`)
    .where(({ or, eb }) =>
      or([
        eb('kind', 'not in', keptLonger),
        eb('created_at', '<', sql<number>`${nowMs} - ${sql.lit(keptLongerMs)}`),
      ]),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
