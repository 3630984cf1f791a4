import { sql } from 'kysely';
import { nowMs } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import { dropEmails } from './outbox-store.ts';

/**
 * A `sign_up` link creates a person with this email address. A `password_reset` link sets the password of its person.
 */
export type AddressPurpose = { email: string } & (
  | { purpose: 'sign_up' }
  | { purpose: 'password_reset'; personId: string }
);
export type AddressLink = AddressPurpose & { expiresAt: number };

/** @returns when the link expires */
export async function insertAddressLink(
  tx: Tx,
  { tokenHash, lifetimeMs, ...link }: AddressPurpose & { tokenHash: string; lifetimeMs: number },
): Promise<number> {
  const row = await tx
    .insertInto('address_links')
    .values({
      token_hash: tokenHash,
      purpose: link.purpose,
      email: link.email,
      person_id: link.purpose === 'password_reset' ? link.personId : null,
      expires_at: sql<number>`${nowMs} + ${sql.lit(lifetimeMs)}`,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow();
  return row.expires_at;
}

export async function findAddressLink(queries: Queries, tokenHash: string): Promise<AddressLink | undefined> {
  const row = await queries
    .selectFrom('address_links')
    .select(columns)
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', nowMs)
    .executeTakeFirst();
  return row && toLink(row);
}

/** Deletes all links for the link's purpose and email address. Undefined if the link can no longer be used. */
export async function useAddressLink(tx: Tx, tokenHash: string): Promise<AddressLink | undefined> {
  const row = await tx
    .deleteFrom('address_links')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', nowMs)
    .returning(columns)
    .executeTakeFirst();
  if (!row) return undefined;
  await endAddressLinks(tx, row);
  return toLink(row);
}

/** Also drops password-reset emails that are not sent yet, because each attempt to send one makes a new link. */
export async function endAddressLinks(
  tx: Tx,
  { email, purpose }: Pick<AddressPurpose, 'email' | 'purpose'>,
): Promise<void> {
  // First, because this waits for an attempt that is making a link.
  if (purpose === 'password_reset') await dropEmails(tx, { kind: purpose, email });
  await tx.deleteFrom('address_links').where('email', '=', email).where('purpose', '=', purpose).execute();
}

export async function sweepAddressLinks(tx: Tx): Promise<void> {
  await tx.deleteFrom('address_links').where('expires_at', '<=', nowMs).execute();
}

const columns = ['purpose', 'email', 'person_id', 'expires_at'] as const;

function toLink(row: {
  purpose: AddressPurpose['purpose'];
  email: string;
  person_id: string | null;
  expires_at: number;
}): AddressLink {
  const { purpose, email, person_id: personId, expires_at: expiresAt } = row;
  // A CHECK ensures that links of other purposes have a person.
  return purpose === 'sign_up'
    ? { purpose, email, expiresAt }
    : { purpose, email, personId: personId ?? '', expiresAt };
}
