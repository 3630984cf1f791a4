import type { Queries } from '../../base/db/schema.ts';
import type { MemberRole } from './roles.ts';

/** How a person signs in: `credential` is a password. */
export async function listSignIns(
  queries: Queries,
  personId: string,
): Promise<{ provider: string; createdAt: string }[]> {
  return queries
    .selectFrom('sign_ins')
    .select(['provider_id as provider', 'created_at as createdAt'])
    .where('person_id', '=', personId)
    .orderBy('created_at')
    .execute();
}

export async function listMemberships(
  queries: Queries,
  personId: string,
): Promise<{ accountId: string; account: string; role: MemberRole; since: number }[]> {
  return queries
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .select(['accounts.id as accountId', 'accounts.name as account', 'members.role'])
    .select('members.created_at as since')
    .where('members.person_id', '=', personId)
    .orderBy('members.created_at')
    .execute();
}
