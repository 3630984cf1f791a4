import { type ExpressionBuilder, sql } from 'kysely';
import { nowMs } from '../../base/db/rows.ts';
import type { Queries, Schema, Tx } from '../../base/db/schema.ts';
import type { MemberRole, OperatorRole } from './roles.ts';

/** A one-time link. It signs in a person or invites a member. An invitation without an account is one for operators. */
export type PanelLink =
  | { kind: 'sign_in'; personId: string; expiresAt: number }
  | {
      kind: 'invitation';
      accountId: string | null;
      role: InvitedRole;
      note: string | null;
      expiresAt: number;
    };

/** Null in invitations that are older than roles. */
export type InvitedRole = MemberRole | OperatorRole | null;

/** Returns the role, or for invitations that are older than roles, the first of `all`. */
export function invitedRole<Role extends string>(all: readonly [Role, ...Role[]], role: InvitedRole): Role {
  return all.find((one) => one === role) ?? all[0];
}

export interface NewPanelLink {
  tokenHash: string;
  kind: 'sign_in' | 'invitation';
  personId: string | null;
  accountId: string | null;
  role: InvitedRole;
  note: string | null;
  /** The creator, whose link works only while they may create such links. Null for the command line. */
  madeBy: string | null;
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
      role: link.role,
      note: link.note,
      made_by: link.madeBy,
      created_at: nowMs,
      expires_at: sql<number>`${nowMs} + ${sql.lit(link.lifetimeMs)}`,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow();
  return row.expires_at;
}

export async function findUsableLink(queries: Queries, tokenHash: string): Promise<PanelLink | undefined> {
  const row = await queries
    .selectFrom('panel_links')
    .select(columns)
    .where('token_hash', '=', tokenHash)
    .where(isUsable)
    .executeTakeFirst();
  return row && toLink(row);
}

export async function useLinkIfUsable(tx: Tx, tokenHash: string): Promise<PanelLink | undefined> {
  const row = await tx
    .updateTable('panel_links')
    .set({ used_at: nowMs })
    .where('token_hash', '=', tokenHash)
    .where(isUsable)
    .returning(columns)
    .executeTakeFirst();
  return row && toLink(row);
}

export async function useUpLinksOf(tx: Tx, personId: string): Promise<void> {
  await tx
    .updateTable('panel_links')
    .set({ expires_at: nowMs })
    .where('person_id', '=', personId)
    .where('used_at', 'is', null)
    .where('expires_at', '>', nowMs)
    .execute();
}

export interface OpenInvitation {
  /** The hash of the link's token. The hash cannot open the link. */
  id: string;
  role: InvitedRole;
  note: string | null;
  /** The name of the operator or owner; null for the command line. */
  madeBy: string | null;
  createdAt: number;
  expiresAt: number;
}

/** Lists an account's invitations that can still be accepted; with null, those for operators. Newest first. */
export async function listOpenInvitations(
  queries: Queries,
  accountId: string | null,
): Promise<OpenInvitation[]> {
  return queries
    .selectFrom('panel_links')
    .leftJoin('people', 'people.id', 'panel_links.made_by')
    .select([
      'token_hash as id',
      'panel_links.role',
      'note',
      'people.name as madeBy',
      'panel_links.created_at as createdAt',
      'expires_at as expiresAt',
    ])
    .where('kind', '=', 'invitation')
    .where('account_id', accountId === null ? 'is' : '=', accountId)
    .where(isUsable)
    .orderBy('panel_links.created_at', 'desc')
    .execute();
}

export async function revokeIfUsable(
  tx: Tx,
  invitationId: string,
): Promise<{ accountId: string | null; role: InvitedRole; note: string | null } | undefined> {
  return tx
    .updateTable('panel_links')
    .set({ expires_at: nowMs })
    .where('token_hash', '=', invitationId)
    .where('kind', '=', 'invitation')
    .where(isUsable)
    .returning(['account_id as accountId', 'role', 'note'])
    .executeTakeFirst();
}

/** Ends sessions opened with this operator's links, because the operator may have used the links themselves. */
export async function endSessionsByLinksOf(tx: Tx, madeBy: string): Promise<void> {
  await tx
    .deleteFrom('sessions')
    .where('via', '=', 'link')
    .where('person_id', 'in', (eb) =>
      eb
        .selectFrom('panel_links')
        .select((link) => link.ref('panel_links.person_id').$notNull().as('person_id'))
        .where('made_by', '=', madeBy)
        .where('kind', '=', 'sign_in')
        .where('used_at', 'is not', null),
    )
    .execute();
}

/** Whether the link is unused and unexpired, and its creator may still create such links. */
function isUsable(eb: ExpressionBuilder<Schema, 'panel_links'>) {
  return eb.and([
    eb('panel_links.used_at', 'is', null),
    eb('panel_links.expires_at', '>', nowMs),
    eb.or([
      eb('panel_links.made_by', 'is', null),
      eb(
        'panel_links.made_by',
        'in',
        eb.selectFrom('operators').select('operators.person_id').where('operators.role', '=', 'admin'),
      ),
      eb.exists(
        eb
          .selectFrom('members')
          .select('members.person_id')
          .whereRef('members.person_id', '=', 'panel_links.made_by')
          .whereRef('members.account_id', '=', 'panel_links.account_id')
          .where('members.role', '=', 'owner'),
      ),
    ]),
  ]);
}

const columns = ['kind', 'person_id', 'account_id', 'role', 'note', 'expires_at'] as const;

function toLink(row: {
  kind: 'sign_in' | 'invitation';
  person_id: string | null;
  account_id: string | null;
  role: InvitedRole;
  note: string | null;
  expires_at: number;
}): PanelLink {
  if (row.kind === 'sign_in')
    return { kind: 'sign_in', personId: row.person_id ?? '', expiresAt: row.expires_at };
  const { account_id: accountId, role, note, expires_at: expiresAt } = row;
  return { kind: 'invitation', accountId, role, note, expiresAt };
}
