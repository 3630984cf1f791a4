import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import type { Tx } from '../../base/db/schema.ts';
import { AppError } from '../../errors.ts';
import { lockLiving } from '../../money/ledger/lock-living.ts';
import { type InvitedRole, invitedRole, listOpenInvitations, revokeIfUsable } from './link-store.ts';
import { type MadeLink, makeLink } from './panel-link.ts';
import { memberRoles } from './roles.ts';

export interface NewInvitation {
  /** Null for an invitation to become an operator. */
  accountId: string | null;
  role: InvitedRole;
  note?: string;
}

export interface OpenInvitationName {
  invitationId: string;
  accountId: string | null;
}

/** The maximum number of open invitations, which fit on one page. */
const mostOpen = 100;

/** Creates a link that makes its user a member of an account, or an operator. */
export async function invite(
  { database }: { database: Database },
  { accountId, role, note }: NewInvitation,
  by: Actor,
): Promise<MadeLink> {
  const action = accountId === null ? 'operator.invited' : 'member.invited';
  return database.transaction(async (tx) => {
    // Locks the account, because concurrent invitations could exceed the limit.
    if (accountId !== null) await lockLiving(tx, accountId);
    if ((await listOpenInvitations(tx, accountId)).length >= mostOpen)
      throw new AppError('invalid_request', `There are ${mostOpen} open invitations. Revoke some of them.`);
    await insertAuditEntry(tx, by, {
      action,
      accountId,
      subject: null,
      detail: { note: note ?? null, role },
    });
    return makeLink(tx, { kind: 'invitation', accountId, role, ...(note && { note }) }, by);
  });
}

/** @throws AppError `not_found` */
export async function revokeInvitation(
  { database }: { database: Database },
  invitation: OpenInvitationName,
  by: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    const { accountId, note } = await revoke(tx, invitation);
    const entry = { action: 'invitation.revoked' as const, accountId, subject: null, detail: { note } };
    await insertAuditEntry(tx, by, entry);
  });
}

/**
 * Replaces an invitation's lost or expiring link. This needs no password, so members cannot renew one for an owner.
 * @throws AppError `not_found`; `invalid_request` for an erased account, or an owner's invitation without `mayBeOwner`
 */
export async function renewInvitation(
  { database }: { database: Database },
  invitation: OpenInvitationName & { mayBeOwner: boolean },
  by: Actor,
): Promise<MadeLink> {
  return database.transaction(async (tx) => {
    if (invitation.accountId !== null) await lockLiving(tx, invitation.accountId);
    const { accountId, role, note } = await revoke(tx, invitation);
    if (!invitation.mayBeOwner && invitedRole(memberRoles, role) === 'owner')
      throw new AppError(
        'invalid_request',
        "An owner's invitation cannot be renewed. Revoke it and invite them again, with your password.",
      );
    const entry = { action: 'invitation.renewed' as const, accountId, subject: null, detail: { note } };
    await insertAuditEntry(tx, by, entry);
    return makeLink(tx, { kind: 'invitation', accountId, role, ...(note !== null && { note }) }, by);
  });
}

async function revoke(tx: Tx, { invitationId, accountId }: OpenInvitationName) {
  const revoked = await revokeIfUsable(tx, invitationId);
  // Throwing rolls back the revocation of another account's invitation.
  if (revoked?.accountId !== accountId)
    throw new AppError('not_found', 'There is no such invitation, or it has ended.');
  return revoked;
}
