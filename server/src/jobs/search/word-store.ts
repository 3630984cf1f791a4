import { type RawBuilder, sql } from 'kysely';
import { isAnyOf, isPostgres, rowsOf } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import type { WordChoices } from './word-choices.ts';

export interface Progress {
  /** A short number for the account. It is part of every indexed word. */
  number: number;
  /** The id of the account's last entry that was read. */
  entryId: number;
  /** The number of the account's jobs that were read. */
  jobs: number;
}

/** Reads an account's progress; null before its first job was read. */
export async function readProgress(queries: Queries, accountId: string): Promise<Progress | null> {
  const row = await queries
    .selectFrom('word_progress')
    .select(['number', 'entry_id', 'jobs'])
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row ? { number: row.number, entryId: row.entry_id, jobs: row.jobs } : null;
}

export interface UnreadEntry {
  entryId: number;
  jobId: string | null;
  /** The prompt of the job that this entry created; null if it created none, or the job was removed. */
  prompt: string | null;
}

/** Lists the account's next entries. None is missed, because entries become visible in order. */
export async function listUnread(
  queries: Queries,
  { accountId, after, limit }: { accountId: string; after: number; limit: number },
): Promise<UnreadEntry[]> {
  const { rows } = await sql<UnreadEntry>`
    select entry.id as "entryId", entry.job_id as "jobId", jobs.prompt
    from (select id, kind, job_id from entries where account_id = ${accountId} and id > ${after}
      order by id limit ${limit}) as entry
    left join jobs on jobs.id = entry.job_id and entry.kind = 'reserve'
    order by entry.id`.execute(queries);
  return rows;
}

/** Locks an account's progress. Inserts it if it is missing. */
export async function lockProgress(tx: Tx, accountId: string): Promise<Progress> {
  await tx
    .insertInto('word_progress')
    .values({ account_id: accountId, entry_id: 0, jobs: 0 })
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .execute();
  const row = await tx
    .selectFrom('word_progress')
    .select(['number', 'entry_id', 'jobs'])
    .where('account_id', '=', accountId)
    .$if(isPostgres(tx), (query) => query.forUpdate())
    .executeTakeFirstOrThrow();
  return { number: row.number, entryId: row.entry_id, jobs: row.jobs };
}

export async function writeProgress(tx: Tx, { number, entryId, jobs }: Progress): Promise<void> {
  await tx
    .updateTable('word_progress')
    .set({ entry_id: entryId, jobs })
    .where('number', '=', number)
    .execute();
}

/** Inserts the words of jobs, except jobs whose prompts have been deleted meanwhile. */
export async function insertWords(
  tx: Tx,
  jobs: readonly { entryId: number; jobId: string; words: readonly string[] }[],
): Promise<void> {
  if (jobs.length === 0) return;
  const rows = rowsOf(
    tx,
    { job_id: 'uuid', entry_id: 'integer', words: 'text' },
    jobs.map(({ entryId, jobId, words }) => ({ job_id: jobId, entry_id: entryId, words: words.join(' ') })),
  );
  const written = isPostgres(tx)
    ? sql`array_to_tsvector(string_to_array(incoming.words, ' '))`
    : sql`incoming.words`;
  await sql`insert into job_words (rowid, words) select incoming.entry_id, ${written} from ${rows} as incoming
    join jobs on jobs.id = incoming.job_id where jobs.prompt <> ''`.execute(tx);
}

/** Removes these jobs from the word index, even while another process is writing words. */
export async function forgetWords(tx: Tx, jobIds: readonly string[]): Promise<void> {
  if (isPostgres(tx)) {
    // While an account's first words are being written, its row is not there to be locked.
    await sql`insert into word_progress (account_id, entry_id, jobs)
      select distinct account_id, 0, 0 from jobs where ${isAnyOf(tx, 'jobs.id', jobIds, 'uuid')}
        and not exists (select 1 from word_progress where account_id = jobs.account_id)
      order by account_id on conflict (account_id) do nothing`.execute(tx);
    await sql`select number from word_progress where account_id in (
      select account_id from jobs where ${isAnyOf(tx, 'jobs.id', jobIds, 'uuid')})
      order by number for update`.execute(tx);
  }
  await sql`delete from job_words where rowid in (select id from entries
    where ${isAnyOf(tx, 'job_id', jobIds, 'uuid')} and kind = 'reserve')`.execute(tx);
}

/** Removes words of deleted jobs from SQLite's index, up to `pages` pages of it. Returns whether more is left. */
export async function rewriteWords(tx: Tx, of: { begins: boolean; pages: number }): Promise<boolean> {
  if (isPostgres(tx)) return false;
  const before = await totalChanges(tx);
  await sql`insert into job_words (job_words, rank) values ('merge', ${of.begins ? -of.pages : of.pages})`.execute(
    tx,
  );
  // The check is from SQLite's documentation of `merge`.
  return (await totalChanges(tx)) - before >= 2;
}

async function totalChanges(tx: Tx): Promise<number> {
  const { rows } = await sql<{ changes: number }>`select total_changes() as changes`.execute(tx);
  return rows[0]?.changes ?? 0;
}

export async function findBehind(queries: Queries, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select accounts.id from accounts left join word_progress on word_progress.account_id = accounts.id
    where coalesce((select max(id) from entries where account_id = accounts.id), 0)
      > coalesce(word_progress.entry_id, 0)
    limit ${limit}`.execute(queries);
  return rows.map(({ id }) => id);
}

export async function areFrequent(
  queries: Queries,
  lists: readonly WordChoices[],
  least: number,
): Promise<boolean> {
  const { rows } = await sql<{ jobs: number }>`select count(*) as jobs from (
    ${entriesWith(queries, lists, Number.MAX_SAFE_INTEGER)} limit ${least}) as found`.execute(queries);
  return Number(rows[0]?.jobs) >= least;
}

/**
 * Selects entries before `before`, newest first, whose jobs match at least one of these lists. A job matches a list if
 * it has at least one choice for each word.
 */
export function entriesWith(
  queries: Queries,
  lists: readonly WordChoices[],
  before: number,
): RawBuilder<unknown> {
  const expression = lists
    .map((list) => `(${all(queries, list)})`)
    .join(isPostgres(queries) ? ' | ' : ' OR ');
  const matches = isPostgres(queries)
    ? sql`words @@ ${expression}::tsquery`
    : sql`job_words match ${expression}`;
  return sql`select rowid as entry_id from job_words where ${matches} and rowid < ${before} order by rowid desc`;
}

/** Makes a query for all words. Quoting them is enough, because no word contains a quote or a backslash. */
function all(queries: Queries, words: WordChoices): string {
  const [beginning, or, and] = isPostgres(queries) ? [':*', ' | ', ' & '] : [' *', ' OR ', ' AND '];
  const term = (word: string, quote: string) =>
    word.endsWith('*') ? `${quote}${word.slice(0, -1)}${quote}${beginning}` : quote + word + quote;
  const quote = isPostgres(queries) ? "'" : '"';
  return words.map((choices) => `(${choices.map((word) => term(word, quote)).join(or)})`).join(and);
}
