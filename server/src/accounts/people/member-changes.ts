import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import type { Tx } from '../../base/db/schema.ts';
import { isUuid } from '../../base/std/ids.ts';
import { AppError } from '../../errors.ts';
import { lockBalances } from '../../money/ledger/ledger-store.ts';
import { deleteMember, findMembership, hasOwner, setMemberRole } from './people-store.ts';
import type { MemberRole } from './roles.ts';

interface Membership {
  accountId: string;
  personId: string;
}

interface Change extends Membership {
  /** Whether an owner must remain. Operators may remove the last owner and appoint another. */
  keepsOwner: boolean;
}

/** @throws AppError `not_found`; `invalid_request` for the last owner */
export async function changeMemberRole(
  { database }: { database: Database },
  { accountId, personId, role, keepsOwner }: Change & { role: MemberRole },
  by: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    const before = await lockMember(tx, { accountId, personId });
    if (before.role === role) return;
    await setMemberRole(tx, { accountId, personId, role });
    if (keepsOwner) await assertOwned(tx, accountId);
    const detail = { before: before.role, role };
    await insertAuditEntry(tx, by, { action: 'member.role_changed', accountId, subject: personId, detail });
  });
}

/** @throws AppError `not_found`; `invalid_request` for the last owner */
export async function removeMember(
  { database }: { database: Database },
  { accountId, personId, keepsOwner }: Change,
  by: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    const before = await lockMember(tx, { accountId, personId });
    await deleteMember(tx, { accountId, personId });
    if (keepsOwner) await assertOwned(tx, accountId);
    const detail = { role_before: before.role };
    await insertAuditEntry(tx, by, { action: 'member.removed', accountId, subject: personId, detail });
  });
}

/** Makes a member the owner and the caller a developer. @throws AppError `not_found`, `invalid_request` */
export async function transferOwnership(
  { database }: { database: Database },
  { accountId, personId }: Membership,
  by: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    const before = await lockMember(tx, { accountId, personId });
    const from = by.personId ?? '';
    const own = await findMembership(tx, { accountId, personId: from });
    if (own?.role !== 'owner' || from === personId)
      throw new AppError('invalid_request', 'An owner hands the account over to another member.');
    await setMemberRole(tx, { accountId, personId, role: 'owner' });
    await setMemberRole(tx, { accountId, personId: from, role: 'developer' });
    const detail = { before: before.role };
    await insertAuditEntry(tx, by, { action: 'account.transferred', accountId, subject: personId, detail });
  });
}

/** Locks the account first, so that of two owners who demote each other, the second sees the first's change. */
async function lockMember(tx: Tx, { accountId, personId }: Membership) {
  await lockBalances(tx, [accountId]);
  const member = isUuid(personId) ? await findMembership(tx, { accountId, personId }) : undefined;
  if (!member) throw new AppError('not_found', 'There is no such member.');
  return member;
}

async function assertOwned(tx: Tx, accountId: string): Promise<void> {
  if (await hasOwner(tx, accountId)) return;
  // Throwing rolls back the change.
  throw new AppError(
    'invalid_request',
    'This is the last owner of the account. Make someone else an owner first.',
  );
}
