import { isAnyOf } from '../../base/db/rows.ts';
import type { Queries } from '../../base/db/schema.ts';
import type { MemberRole } from './roles.ts';

/** Lists how a person can sign in: `credential` is a password. */
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

/** Lists the newest keys that a person created or granted to a program. */
export async function listMadeKeys(
  queries: Queries,
  { personId, limit }: { personId: string; limit: number },
): Promise<{ id: string; name: string; accountId: string; createdAt: number; disabledAt: number | null }[]> {
  const made = await queries
    .selectFrom('audit_log')
    .select('subject')
    .where('person_id', '=', personId)
    .where('action', '=', 'key.created')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  const ids = made.flatMap(({ subject }) => subject ?? []);
  return queries
    .selectFrom('api_keys')
    .select(['id', 'name', 'account_id as accountId', 'created_at as createdAt'])
    .select('disabled_at as disabledAt')
    .where(isAnyOf(queries, 'id', ids, 'uuid'))
    .where('account_id', 'in', (query) =>
      query.selectFrom('members').select('account_id').where('person_id', '=', personId),
    )
    .orderBy('created_at', 'desc')
    .execute();
}

/** Lists a person's newest shares. Shares from older versions are missing, because they have only the maker's name. */
export async function listMadeShares(
  queries: Queries,
  { personId, limit }: { personId: string; limit: number },
): Promise<{ accountId: string; createdAt: number; expiresAt: number; revokedAt: number | null }[]> {
  return queries
    .selectFrom('people')
    .innerJoin('members', 'members.person_id', 'people.id')
    .innerJoin('shares', (join) =>
      join
        .onRef('shares.account_id', '=', 'members.account_id')
        .on(({ and, eb, or, ref }) =>
          or([
            eb('shares.made_by_id', '=', ref('people.id')),
            and([eb('shares.made_by_id', 'is', null), eb('shares.made_by', '=', ref('people.name'))]),
          ]),
        ),
    )
    .select(['shares.account_id as accountId', 'shares.created_at as createdAt'])
    .select(['shares.expires_at as expiresAt', 'shares.revoked_at as revokedAt'])
    .where('people.id', '=', personId)
    .orderBy('shares.created_at', 'desc')
    .limit(limit)
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
