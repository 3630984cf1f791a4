import { type RawBuilder, sql } from 'kysely';
import { isAnyOf, nowMs, readNow } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import { idBefore } from '../../base/std/ids.ts';
import { insertRemovals } from '../../images/removals/removal-store.ts';
import { keysOfAttempts } from '../../images/renditions.ts';
import { dropContent } from '../drop-content-store.ts';
import { parseOutput } from '../job.ts';
import { forgetWords } from '../search/word-store.ts';
import { isNotKept, keptJobs } from '../tags/kept-store.ts';
import { inputKeysOf } from './purge-store.ts';

/** The parts of a job that may be removed before the job itself. */
export type Content = 'pictures' | 'prompts' | 'inputs';

interface Of {
  accountId: string;
  part: Content;
  retentionMs: number;
  stars: number;
  limit: number;
}

/** Deletes one part of old jobs, in the order of their ids, and records the progress. */
export async function dropNextContent(tx: Tx, of: Of): Promise<number> {
  const keeps = of.part === 'pictures' && of.stars > 0;
  // Kept images are recorded before they are skipped, so that they are found again if they lose their star.
  if (keeps) await noteKept(tx, of);
  const next = await listNext(tx, of, keeps ? isNotNoted(of.accountId) : undefined);
  const last = next.at(-1)?.id;
  if (last === undefined) return 0;
  await drop(tx, of.part, next);
  await writeProgress(tx, of, last);
  return next.length;
}

export async function hasNextContent(queries: Queries, of: Omit<Of, 'limit'>): Promise<boolean> {
  const keeps = of.part === 'pictures' && of.stars > 0;
  return (await listNext(queries, { ...of, limit: 1 }, keeps ? isNotKept(of) : undefined)).length > 0;
}

export async function dropReleased(tx: Tx, of: Omit<Of, 'part'>): Promise<number> {
  const released = await listReleased(tx, of);
  if (released.length === 0) return 0;
  await drop(tx, 'pictures', released);
  const ids = released.map(({ id }) => id);
  await tx
    .deleteFrom('kept_images')
    .where(isAnyOf(tx, 'job_id', ids, 'uuid'))
    .execute();
  return released.length;
}

export async function hasReleased(queries: Queries, of: Omit<Of, 'part' | 'limit'>): Promise<boolean> {
  return (await listReleased(queries, { ...of, limit: 1 })).length > 0;
}

interface Row {
  id: string;
  image_key: string | null;
  inputs: string;
  attempt: number;
  output: string | null;
}

async function drop(tx: Tx, part: Content, jobs: readonly Row[]): Promise<void> {
  const ids = jobs.map(({ id }) => id);
  const pictures = jobs.flatMap(picturesOf);
  const inputs = jobs.flatMap((row) => inputKeysOf(row.inputs));
  if (part === 'pictures') await dropContent(tx, ids);
  if (part === 'prompts') await dropPrompts(tx, ids);
  if (part === 'inputs') await dropInputs(tx, ids);
  if (part !== 'inputs') await forgetWords(tx, ids);
  // Maintenance removes the objects a little later.
  if (part === 'pictures') await insertRemovals(tx, [...pictures, ...inputs]);
  if (part === 'inputs') await insertRemovals(tx, inputs);
}

function picturesOf({ id, attempt, image_key: imageKey, output }: Row): string[] {
  const format = parseOutput(output)?.format;
  return keysOfAttempts(id, { attempts: attempt, imageKey, ...(format && { format }) });
}

async function listNext(
  queries: Queries,
  { accountId, part, retentionMs, limit }: Of,
  mayGo: RawBuilder<boolean> | undefined,
) {
  const progress = await queries
    .selectFrom('retention_progress')
    .select('through_id')
    .where('account_id', '=', accountId)
    .where('part', '=', part)
    .executeTakeFirst();
  const rows = await queries
    .selectFrom('jobs')
    .select(['id', 'image_key', 'inputs', 'attempt', 'output'])
    .select(
      sql<number>`case when finished_at < ${nowMs} - ${sql.lit(retentionMs)} then 1 else 0 end`.as('past'),
    )
    .where('account_id', '=', accountId)
    .where('id', '<', idBefore((await readNow(queries)) - retentionMs))
    .$if(progress !== undefined, (query) => query.where('id', '>', progress?.through_id ?? ''))
    .$if(mayGo !== undefined, (query) => query.where(mayGo ?? sql<boolean>`true`))
    .orderBy('id')
    .limit(limit)
    .execute();
  const end = rows.findIndex(({ past }) => past === 0);
  return end === -1 ? rows : rows.slice(0, end);
}

async function listReleased(
  queries: Queries,
  { accountId, retentionMs, stars, limit }: Omit<Of, 'part'>,
): Promise<Row[]> {
  return queries
    .selectFrom('kept_images')
    .innerJoin('jobs', 'jobs.id', 'kept_images.job_id')
    .select(['jobs.id', 'jobs.image_key', 'jobs.inputs', 'jobs.attempt', 'jobs.output'])
    .where('kept_images.account_id', '=', accountId)
    .where('jobs.finished_at', '<', sql<number>`${nowMs} - ${sql.lit(retentionMs)}`)
    .where(isNotKept({ accountId, stars }))
    .orderBy('jobs.id')
    .limit(limit)
    .execute();
}

/** Records the images that stay, so that later passes do not read them again. */
async function noteKept(tx: Tx, { accountId, stars, retentionMs }: Of): Promise<void> {
  const before = idBefore((await readNow(tx)) - retentionMs);
  await sql`insert into kept_images (account_id, job_id)
    select ${accountId}, job_id from (${keptJobs({ accountId, stars })}) as kept where job_id < ${before}
    on conflict do nothing`.execute(tx);
}

function isNotNoted(accountId: string): RawBuilder<boolean> {
  return sql<boolean>`jobs.id not in (select job_id from kept_images where account_id = ${accountId})`;
}

/** Deletes prompts and parameters, and the failures and notes of attempts, which may quote prompts. */
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
