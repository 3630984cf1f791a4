import { sql } from 'kysely';
import { isAnyOf } from '../db/rows.ts';
import type { Tx } from '../db/schema.ts';
import type { AdmissionRequest } from './decide-admissions.ts';

/**
 * What the client tokens of these requests have spent, where they have a cap: the prices of their jobs but those
 * that failed. Exact once the account is locked, because every create locks it first.
 */
export async function readSpent(
  tx: Tx,
  requests: readonly Pick<AdmissionRequest, 'cap'>[],
): Promise<ReadonlyMap<string, bigint>> {
  const tokenIds = new Set(requests.flatMap(({ cap }) => cap?.clientTokenId ?? []));
  if (tokenIds.size === 0) return new Map();
  const { rows } = await sql<{ id: string; spent_micros: bigint }>`
    select client_token_id as id, cast(sum(price_micros) as bigint) as spent_micros from jobs
    where ${isAnyOf(tx, 'client_token_id', [...tokenIds], 'uuid')} and client_token_id is not null
      and status <> 'failed'
    group by client_token_id`.execute(tx);
  return new Map(rows.map((row) => [row.id, row.spent_micros]));
}
