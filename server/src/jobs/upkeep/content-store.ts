import { sql } from 'kysely';
import { isAnyOf, nowMs, readNow } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import { keysOfResult } from '../../images/renditions.ts';
import { dropContent, insertRemovals } from '../removal-store.ts';
import { forgetWords } from '../search/word-store.ts';
import { idBefore, inputKeysOf } from './purge-store.ts';

/** What of a job may go before the job does. */
export type Content = 'pictures' | 'prompts' | 'inputs';

interface Of {
  accountId: string;
  part: Content;
  retentionMs: number;
  limit: number;
}

/**
 * Takes a part of the jobs of an account that ended more than `retentionMs` ago, and returns of how many. Goes through the jobs in
 * the order of their ids and notes how far; at one that has not ended for so long it waits.
 */
export async function dropNextContent(tx: Tx, of: Of): Promise<number> {
  const next = await listNext(tx, of);
  const ids = next.map(({ id }) => id);
  const last = ids.at(-1);
  if (last === undefined) return 0;
  const pictures = next.flatMap(({ image_key: key }) => (key === null ? [] : keysOfResult(key)));
  const inputs = next.flatMap((row) => inputKeysOf(row.inputs));
  if (of.part === 'pictures') await dropContent(tx, ids);
  if (of.part === 'prompts') await dropPrompts(tx, ids);
  if (of.part === 'inputs') await dropInputs(tx, ids);
  if (of.part !== 'inputs') await forgetWords(tx, ids);
  // Removed by maintenance a little later.
  if (of.part === 'pictures') await insertRemovals(tx, [...pictures, ...inputs]);
  if (of.part === 'inputs') await insertRemovals(tx, inputs);
  await writeProgress(tx, of, last);
  return ids.length;
}

/** Whether there is anything to take. */
export async function hasNextContent(queries: Queries, of: Omit<Of, 'limit'>): Promise<boolean> {
  return (await listNext(queries, { ...of, limit: 1 })).length > 0;
}

async function listNext(queries: Queries, { accountId, part, retentionMs, limit }: Of) {
  const progress = await queries
    .selectFrom('retention_progress')
    .select('through_id')
    .where('account_id', '=', accountId)
    .where('part', '=', part)
    .executeTakeFirst();
  const rows = await queries
    .selectFrom('jobs')
    .select(['id', 'image_key', 'inputs'])
    .select(
      sql<number>`case when finished_at < ${nowMs} - ${sql.lit(retentionMs)} then 1 else 0 end`.as('past'),
    )
    .where('account_id', '=', accountId)
    .where('id', '<', idBefore((await readNow(queries)) - retentionMs))
    .$if(progress !== undefined, (query) => query.where('id', '>', progress?.through_id ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute();
  const end = rows.findIndex(({ past }) => past === 0);
  return end === -1 ? rows : rows.slice(0, end);
}

/** Failures and notes of attempts may quote the prompt. */
async function dropPrompts(tx: Tx, jobIds: readonly string[]): Promise<void> {
  await sql`update jobs set prompt = '', failures = '[]', notes = null, parameters = null
    where ${isAnyOf(tx, 'id', jobIds, 'uuid')} and image_deleted_at is null`.execute(tx);
}

async function dropInputs(tx: Tx, jobIds: readonly string[]): Promise<void> {
  await sql`update jobs set inputs = '[]'
    where ${isAnyOf(tx, 'id', jobIds, 'uuid')} and inputs <> '[]'`.execute(tx);
}

async function writeProgress(tx: Tx, { accountId, part }: Of, through: string): Promise<void> {
  await tx
    .insertInto('retention_progress')
    .values({ account_id: accountId, part, through_id: through })
    .onConflict((conflict) => conflict.columns(['account_id', 'part']).doUpdateSet({ through_id: through }))
    .execute();
}
