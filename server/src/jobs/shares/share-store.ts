import { sql } from 'kysely';
import type { Actor } from '../../base/audit/audit-store.ts';
import { nowMs, readNow } from '../../base/db/rows.ts';
import type { Queries, SharesTable, Tx } from '../../base/db/schema.ts';

export interface Share {
  token: string;
  accountId: string;
  jobIds: string[];
  /** The album whose contents the link shows, instead of listed jobs. */
  albumId: string | null;
  withPrompts: boolean;
  /** The creator's name. For a key, the name that it had when it created the link. */
  madeBy: string;
  createdAt: number;
  expiresAt: number;
  revokedAt: number | null;
}

/** The maker's current name while they are a member or operator; otherwise the stored name. */
export const makerName = `coalesce((select people.name from people where people.id = shares.made_by_id
  and (exists (select 1 from members
      where members.account_id = shares.account_id and members.person_id = people.id)
    or exists (select 1 from operators where operators.person_id = people.id))), shares.made_by)`;

export async function insertShare(
  tx: Tx,
  share: Omit<Share, 'madeBy' | 'createdAt' | 'revokedAt'>,
  by: Pick<Actor, 'personId' | 'name'>,
): Promise<void> {
  await tx
    .insertInto('shares')
    .values({
      token: share.token,
      account_id: share.accountId,
      job_ids: JSON.stringify(share.jobIds),
      album_id: share.albumId,
      with_prompts: share.withPrompts ? 1 : 0,
      made_by_id: by.personId,
      made_by: by.name,
      created_at: nowMs,
      expires_at: share.expiresAt,
      revoked_at: null,
    })
    .execute();
}

export async function findShare(queries: Queries, token: string): Promise<Share | undefined> {
  const row = await selectShares(queries).where('token', '=', token).executeTakeFirst();
  return row && toShare(row);
}

export async function listShares(
  queries: Queries,
  {
    accountId,
    before,
    limit,
  }: { accountId: string; before: readonly [createdAt: number, token: string] | undefined; limit: number },
): Promise<Share[]> {
  let query = selectShares(queries).where('account_id', '=', accountId);
  if (before)
    query = query.where(({ and, eb, or }) =>
      or([
        eb('created_at', '<', before[0]),
        and([eb('created_at', '=', before[0]), eb('token', '<', before[1])]),
      ]),
    );
  const rows = await query.orderBy('created_at', 'desc').orderBy('token', 'desc').limit(limit).execute();
  return rows.map(toShare);
}

export async function countOpenShares(tx: Tx, accountId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('shares')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', await readNow(tx))
    .executeTakeFirstOrThrow();
  return count;
}

/** Revokes a link. Returns false if the account has no such link or has revoked it before. */
export async function revokeIfOpen(tx: Tx, accountId: string, token: string): Promise<boolean> {
  const result = await tx
    .updateTable('shares')
    .set({ revoked_at: nowMs })
    .where('token', '=', token)
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

function selectShares(queries: Queries) {
  return queries.selectFrom('shares').selectAll().select(sql.raw<string>(makerName).as('maker_name'));
}

function toShare(row: SharesTable & { maker_name: string }): Share {
  return {
    token: row.token,
    accountId: row.account_id,
    jobIds: JSON.parse(row.job_ids) as string[], // written by `insertShare`
    albumId: row.album_id,
    withPrompts: row.with_prompts === 1,
    madeBy: row.maker_name,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}
