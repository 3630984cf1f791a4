import { type Actor, insertAuditEntry, insertAuditEntryIfRare } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import { AppError } from '../../errors.ts';
import { findPeopleByEmail } from '../people/email-store.ts';

const rareMs = 60 * 60 * 1000;

export type SignInMeans =
  | 'password'
  | 'password and authenticator'
  | 'password and backup code'
  | 'single sign-on'
  | 'passkey';

export async function noteSignIn(database: Database, actor: Actor, means: SignInMeans): Promise<void> {
  const entry = {
    action: 'person.signed_in' as const,
    accountId: null,
    subject: null,
    detail: { with: means },
  };
  await database.transaction((tx) => insertAuditEntry(tx, actor, entry));
}

/** Audits that a person's sign-ins reached the limit, at most once an hour, so that attackers cannot flood the log. */
export async function noteLimitedTries<T>(
  database: Database,
  { email, address }: { email: string; address: string },
  tries: Promise<T>,
): Promise<T> {
  return tries.catch(async (error: unknown) => {
    const isLimited = error instanceof AppError && error.code === 'too_many_requests';
    const [person] = isLimited ? await findPeopleByEmail(database.read, email) : [];
    if (person) {
      const actor = { personId: person.id, name: person.name, address };
      const entry = { action: 'sign_in.limited' as const, accountId: null, subject: null, detail: {} };
      await database.transaction((tx) => insertAuditEntryIfRare(tx, actor, entry, rareMs));
    }
    throw error;
  });
}
