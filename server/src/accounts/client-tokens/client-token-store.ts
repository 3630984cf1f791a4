import type { ModelId } from '../../catalog/models.ts';
import { nowMs } from '../../db/rows.ts';
import type { Queries, Tx } from '../../db/schema.ts';
import { sweepLimits } from '../../limits/limit-store.ts';
import type { ClientToken } from '../key-store.ts';

export interface NewClientToken extends ClientToken {
  keyId: string;
  hash: string;
  models: ModelId[] | null;
  expiresAt: number;
}

export async function insertClientToken(tx: Tx, token: NewClientToken): Promise<void> {
  await tx
    .insertInto('client_tokens')
    .values({
      id: token.id,
      key_id: token.keyId,
      hash: token.hash,
      models: token.models && JSON.stringify(token.models),
      origin: token.origin,
      created_at: nowMs,
      expires_at: token.expiresAt,
    })
    .execute();
}

/** Those that were not swept yet, expired or not. */
export async function countTokens(queries: Queries, keyId: string): Promise<number> {
  const { count } = await queries
    .selectFrom('client_tokens')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('key_id', '=', keyId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Removes expired tokens with their limits; returns how many tokens. */
export async function sweepTokens(tx: Tx): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('client_tokens')
    .where('expires_at', '<', nowMs)
    .executeTakeFirst();
  if (numDeletedRows > 0n) await sweepLimits(tx);
  return Number(numDeletedRows);
}
