import { sql } from 'kysely';
import { nowMs } from '../../db/rows.ts';
import type { Queries, Tx } from '../../db/schema.ts';

/** What a one-time link is for: to sign one person in, or to make a member (or, without account, an operator). */
export type PanelLink =
  | { kind: 'sign_in'; personId: string; expiresAt: number }
  | { kind: 'invitation'; accountId: string | null; note: string | null; expiresAt: number };

export interface NewPanelLink {
  tokenHash: string;
  kind: 'sign_in' | 'invitation';
  personId: string | null;
  accountId: string | null;
  note: string | null;
  lifetimeMs: number;
}

export async function insertLink(tx: Tx, link: NewPanelLink): Promise<number> {
  const row = await tx
    .insertInto('panel_links')
    .values({
      token_hash: link.tokenHash,
      kind: link.kind,
      person_id: link.personId,
      account_id: link.accountId,
      note: link.note,
      created_at: nowMs,
      expires_at: sql<number>`${nowMs} + ${sql.lit(link.lifetimeMs)}`,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow();
  return row.expires_at;
}

/** Undefined when it was used, is too old or does not exist. */
export async function findUsableLink(queries: Queries, tokenHash: string): Promise<PanelLink | undefined> {
  const row = await queries
    .selectFrom('panel_links')
    .select(columns)
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', nowMs)
    .executeTakeFirst();
  return row && toLink(row);
}

/** The link, used up; undefined when somebody else was faster, and when it could not be used any more. */
export async function useLinkIfUsable(tx: Tx, tokenHash: string): Promise<PanelLink | undefined> {
  const row = await tx
    .updateTable('panel_links')
    .set({ used_at: nowMs })
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', nowMs)
    .returning(columns)
    .executeTakeFirst();
  return row && toLink(row);
}

/** Links of a person that could still be used are worth nothing any more. */
export async function useUpLinksOf(tx: Tx, personId: string): Promise<void> {
  await tx
    .updateTable('panel_links')
    .set({ expires_at: nowMs })
    .where('person_id', '=', personId)
    .where('used_at', 'is', null)
    .where('expires_at', '>', nowMs)
    .execute();
}

/** Invitations to an account that nobody has accepted yet. */
export async function listOpenInvitations(queries: Queries, accountId: string) {
  return queries
    .selectFrom('panel_links')
    .select(['note', 'created_at', 'expires_at'])
    .where('kind', '=', 'invitation')
    .where('account_id', '=', accountId)
    .where('used_at', 'is', null)
    .where('expires_at', '>', nowMs)
    .orderBy('created_at', 'desc')
    .execute();
}

const columns = ['kind', 'person_id', 'account_id', 'note', 'expires_at'] as const;

function toLink(row: {
  kind: 'sign_in' | 'invitation';
  person_id: string | null;
  account_id: string | null;
  note: string | null;
  expires_at: number;
}): PanelLink {
  if (row.kind === 'sign_in')
    return { kind: 'sign_in', personId: row.person_id ?? '', expiresAt: row.expires_at };
  return { kind: 'invitation', accountId: row.account_id, note: row.note, expiresAt: row.expires_at };
}
