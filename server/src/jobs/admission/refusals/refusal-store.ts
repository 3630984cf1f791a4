import { sql } from 'kysely';
import { nowMs } from '../../../base/db/rows.ts';
import type { Queries, Tx } from '../../../base/db/schema.ts';
import type { Stage } from '../../guardrails/guardrail-settings.ts';

/** A prompt that the policy refused, or the prompt of a refused image. */
export interface RefusedPrompt {
  id: string;
  accountId: string;
  accountName: string;
  keyId: string;
  /** Null if the prompt itself was refused, because then there is no job. */
  jobId: string | null;
  stage: Stage;
  reason: string | null;
  prompt: string;
  at: number;
}

export async function insertRefusal(
  tx: Tx,
  refusal: Omit<RefusedPrompt, 'accountName' | 'at' | 'prompt'> & { prompt: string | null },
): Promise<void> {
  const { id, accountId, keyId, jobId, ...rest } = refusal;
  await tx
    .insertInto('refusals')
    .values({ id, account_id: accountId, key_id: keyId, job_id: jobId, ...rest, at: nowMs, struck: 0 })
    .execute();
}

/** Counts up to `most` recent refusals that belong to no strike yet. */
export async function countRefusals(
  tx: Tx,
  { accountId, withinMs, most }: { accountId: string; withinMs: number; most: number },
): Promise<number> {
  const { rows } = await sql`select id from refusals where account_id = ${accountId} and struck = 0
    and at > ${nowMs} - ${sql.lit(withinMs)} limit ${sql.lit(most)}`.execute(tx);
  return rows.length;
}

/** Marked refusals cause no second strike. */
export async function markStruck(tx: Tx, accountId: string): Promise<void> {
  await tx
    .updateTable('refusals')
    .set({ struck: 1 })
    .where('account_id', '=', accountId)
    .where('struck', '=', 0)
    .execute();
}

export async function listRefusedPrompts(
  queries: Queries,
  { accountId, before, limit }: { accountId: string | undefined; before: string | undefined; limit: number },
): Promise<RefusedPrompt[]> {
  const rows = await queries
    .selectFrom('refusals')
    .innerJoin('accounts', 'accounts.id', 'refusals.account_id')
    .selectAll('refusals')
    .select('accounts.name as account_name')
    .where('prompt', 'is not', null)
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
    .$if(before !== undefined, (query) => query.where('refusals.id', '<', before ?? ''))
    .orderBy('refusals.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    accountName: row.account_name,
    keyId: row.key_id,
    jobId: row.job_id,
    stage: row.stage as Stage, // only `insertRefusal` writes this column
    reason: row.reason,
    prompt: row.prompt ?? '',
    at: row.at,
  }));
}

export async function deleteOldRefusals(
  tx: Tx,
  { olderThanMs, limit }: { olderThanMs: number; limit: number },
): Promise<number> {
  const result = await sql`delete from refusals where id in (select id from refusals
    where at < ${nowMs} - ${sql.lit(olderThanMs)} order by at limit ${sql.lit(limit)})`.execute(tx);
  return Number(result.numAffectedRows);
}

/** Removes the prompts of older refusals. The refusals stay, because they still count towards a strike. */
export async function dropOldPrompts(
  tx: Tx,
  { olderThanMs, limit }: { olderThanMs: number; limit: number },
): Promise<number> {
  const result = await sql`update refusals set prompt = null where id in (select id from refusals
    where at < ${nowMs} - ${sql.lit(olderThanMs)} and prompt is not null order by at limit ${sql.lit(limit)})`.execute(
    tx,
  );
  return Number(result.numAffectedRows);
}

export async function deleteRefusalsOf(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('refusals').where('account_id', '=', accountId).execute();
}
