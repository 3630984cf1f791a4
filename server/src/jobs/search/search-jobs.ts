import { setImmediate } from 'node:timers/promises';
import type { Database } from '../../base/db/database.ts';
import type { Job } from '../job.ts';
import { type JobFilter, listFew, listFound, listFoundAmong } from '../job-list-store.ts';
import { catchUp, jobsPerBucket, scopeOf } from './catch-up.ts';
import { choicesOf, misspeltChoices, type WordChoices } from './word-choices.ts';
import { areFrequent, type Progress } from './word-store.ts';

/**
 * The longest wait for the index. If indexing takes longer, for example after an upgrade, a search misses newer jobs.
 */
const patienceMs = 1_000;
/** The number of buckets to search first. One is often enough: most searches are for frequent or recent words. */
const firstBuckets = 1;
const mostBuckets = 16;
/** The maximum number of words in a query for several buckets: PostgreSQL's time grows with the square of that. */
const mostTerms = 2_000;
/** With this many matches in a step, checking the jobs that pass the filter is cheaper than checking all matches. */
const frequent = 1_000;
/** The maximum number of jobs to check one by one. If more jobs pass the filter, they fill a page soon anyway. */
const few = 2_000;

/** The end of a page: its last entry, and the bucket where the next page starts. */
export type SearchPosition = readonly [entryId: number, bucket: number];

export interface Found {
  job: Job;
  position: SearchPosition;
}

interface Wanted {
  before?: SearchPosition | undefined;
  limit: number;
  promptLength: number | undefined;
}

/** Finds jobs whose prompts contain all words, newest first. If no job matches, words may differ by one letter. */
export async function searchJobs(
  database: Database,
  filter: JobFilter & { accountId: string },
  text: string,
  wanted: Wanted,
): Promise<Found[]> {
  const words = choicesOf(text);
  const progress = await catchUpNow(database, filter.accountId);
  if (words.length === 0 || !progress) return [];
  const found = await searchFor(database, filter, words, progress, wanted);
  const misspelt = misspeltChoices(text);
  if (found.length > 0 || !misspelt) return found;
  const anywhere = { limit: 1, promptLength: 0 };
  const { accountId } = filter;
  const isSpelt = (await searchFor(database, { accountId }, words, progress, anywhere)).length > 0;
  return isSpelt ? found : searchFor(database, filter, misspelt, progress, wanted);
}

async function searchFor(
  database: Database,
  filter: JobFilter & { accountId: string },
  words: WordChoices,
  { number, jobs }: Progress,
  { before, limit, promptLength }: Wanted,
): Promise<Found[]> {
  const found: Found[] = [];
  const most = Math.max(1, Math.min(mostBuckets, Math.floor(mostTerms / words.flat().length)));
  let newest = before?.[1] ?? Math.floor(jobs / jobsPerBucket);
  let count = firstBuckets;
  /** The jobs that pass the filter; null if they are too many. */
  let among: string[] | null | undefined;
  while (newest >= 0 && found.length < limit) {
    const oldest = Math.max(0, newest - count + 1);
    const lists: WordChoices[] = [];
    for (let bucket = newest; bucket >= oldest; bucket -= 1) {
      const scope = scopeOf(number, bucket);
      lists.push(words.map((choices) => choices.map((word) => scope + word)));
    }
    const wanted = {
      lists,
      before: before?.[0] ?? Number.MAX_SAFE_INTEGER,
      limit: limit - found.length,
      promptLength,
    };
    const page = among
      ? await listFoundAmong(database.reports, among, wanted)
      : await listFound(database.reports, filter, wanted);
    for (const { job, entryId } of page) found.push({ job, position: [entryId, newest] });
    // If the words are frequent but few jobs pass the filter, checking those few jobs is cheaper.
    const isWorthIt = among === undefined && found.length < limit && isNarrow(filter);
    if (isWorthIt && (await areFrequent(database.reports, lists, frequent)))
      among = await listFew(database.reports, filter, few);
    if (among?.length === 0) break;
    newest = oldest - 1;
    count = Math.min(count * 4, most);
    await setImmediate();
  }
  return found;
}

function isNarrow({ accountId: _, ...conditions }: JobFilter): boolean {
  return Object.keys(conditions).length > 0;
}

async function catchUpNow(database: Database, accountId: string): Promise<Progress | null> {
  for (const until = performance.now() + patienceMs; ; ) {
    const { progress, more } = await catchUp(database, accountId);
    if (!more || performance.now() > until) return progress;
  }
}
