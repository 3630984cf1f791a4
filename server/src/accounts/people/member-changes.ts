import { type Actor, insertAuditEntry } from '../../base/audit/audit-store.ts';
import type { Database } from '../../base/db/database.ts';
import type { Tx } from '../../base/db/schema.ts';
import { isUuid } from '../../base/std/ids.ts';
import { AppError } from '../../errors.ts';
import { deleteMember, findMembership, setMemberRole } from './people-store.ts';
import type { MemberRole } from './roles.ts';

interface Membership {
  accountId: string;
  personId: string;
}

/** Gives a member another role. @throws AppError `not_found` */
export async function changeMemberRole(
  { database }: { database: Database },
  { accountId, personId, role }: Membership & { role: MemberRole },
  by: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    const before = await findMember(tx, { accountId, personId });
    if (before.role === role) return;
    await setMemberRole(tx, { accountId, personId, role });
    const detail = { before: before.role, role };
    await insertAuditEntry(tx, by, { action: 'member.role_changed', accountId, subject: personId, detail });
  });
}

/** @throws AppError `not_found` */
export async function removeMember(
  { database }: { database: Database },
  { accountId, personId }: Membership,
  by: Actor,
): Promise<void> {
  await database.transaction(async (tx) => {
    const before = await findMember(tx, { accountId, personId });
    await deleteMember(tx, { accountId, personId });
    const detail = { role_before: before.role };
    await insertAuditEntry(tx, by, { action: 'member.removed', accountId, subject: personId, detail });
  });
}

async function findMember(tx: Tx, { accountId, personId }: Membership) {
  const member = isUuid(personId) ? await findMembership(tx, { accountId, personId }) : undefined;
  if (!member) throw new AppError('not_found', 'There is no such member.');
  return member;
}
