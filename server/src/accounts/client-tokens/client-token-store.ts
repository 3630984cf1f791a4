import { nowMs } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import { sweepLimits } from '../../money/limits/limit-store.ts';
import type { ModelId } from '../../upstream/catalog/models.ts';
import type { ClientToken } from '../key-store.ts';

export async function insertClientToken(tx: Tx, token: IssuedToken & { hash: string }): Promise<void> {
  await tx
    .insertInto('client_tokens')
    .values({
      id: token.id,
      key_id: token.keyId,
      hash: token.hash,
      models: token.models && JSON.stringify(token.models),
      origin: token.origin,
      created_at: token.createdAt,
      expires_at: token.expiresAt,
    })
    .execute();
}

export interface IssuedToken extends ClientToken {
  keyId: string;
  models: ModelId[] | null;
  spendCapMicros: bigint | null;
  createdAt: number;
  expiresAt: number;
}

/** Lists tokens that have not expired, newest first. */
export async function listTokens(
  queries: Queries,
  {
    accountId,
    id,
    before,
    limit,
  }: { accountId: string; id?: string; before?: string | undefined; limit: number },
): Promise<IssuedToken[]> {
  let query = queries
    .selectFrom('client_tokens')
    .innerJoin('api_keys', 'api_keys.id', 'client_tokens.key_id')
    .leftJoin('limits', (join) =>
      join.onRef('limits.subject_id', '=', 'client_tokens.id').on('limits.meter', '=', 'total'),
    )
    .selectAll('client_tokens')
    .select('limits.most')
    .where('api_keys.account_id', '=', accountId)
    .where('client_tokens.expires_at', '>', nowMs);
  if (id !== undefined) query = query.where('client_tokens.id', '=', id);
  if (before !== undefined) query = query.where('client_tokens.id', '<', before);
  const rows = await query.orderBy('client_tokens.id', 'desc').limit(limit).execute();
  return rows.map((row) => ({
    id: row.id,
    keyId: row.key_id,
    models: row.models === null ? null : (JSON.parse(row.models) as ModelId[]), // written by `insertClientToken`
    origin: row.origin,
    spendCapMicros: row.most === null ? null : BigInt(row.most),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }));
}

/** Returns false if the token has already ended. Its limit stays until the row is swept. */
export async function endToken(
  tx: Tx,
  { accountId, id }: { accountId: string; id: string },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('client_tokens')
    .set({ expires_at: nowMs })
    .where('id', '=', id)
    .where('expires_at', '>', nowMs)
    .where('key_id', 'in', (keys) =>
      keys.selectFrom('api_keys').select('api_keys.id').where('account_id', '=', accountId),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Counts all tokens, including expired ones that were not swept yet. */
export async function countTokens(queries: Queries, keyId: string): Promise<number> {
  const { count } = await queries
    .selectFrom('client_tokens')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('key_id', '=', keyId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Removes expired tokens with their limits. Returns the number of tokens. */
export async function sweepTokens(tx: Tx): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('client_tokens')
    .where('expires_at', '<', nowMs)
    .executeTakeFirst();
  if (numDeletedRows > 0n) await sweepLimits(tx);
  return Number(numDeletedRows);
}
