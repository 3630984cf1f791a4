import { setImmediate } from 'node:timers/promises';
import type { Database } from '../../base/db/database.ts';
import type { Job } from '../job.ts';
import { type JobFilter, listFew, listFound, listFoundAmong } from '../job-list-store.ts';
import { catchUp, jobsPerBucket, scopeOf } from './catch-up.ts';
import { choicesOf, misspeltChoices, type WordChoices } from './word-choices.ts';
import { areFrequent, type Progress } from './word-store.ts';

/** Newer jobs of an account that has not caught up by then, as after an upgrade, are found a little later. */
const patienceMs = 1_000;
/** The number of buckets searched first: one, because most searches are for frequent or recent words. */
const firstBuckets = 1;
const mostBuckets = 16;
/**
 * The number of matches in a step's buckets above which reading them all costs more than checking the jobs that pass
 * the filter.
 */
const frequent = 1_000;
/** The most jobs that are checked one by one; a filter that more jobs pass soon fills a page. */
const few = 2_000;

/** The end of a page of results: its last entry, and a bucket that is not older than it. */
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

/**
 * Finds jobs whose prompts have all words of `text` in any form, the last also as the beginning of a word; newest
 * first. If no job of the account matches, words may differ by a letter.
 */
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
  let newest = before?.[1] ?? Math.floor(jobs / jobsPerBucket);
  let count = firstBuckets;
  /** Null when they are too many. */
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
    // For frequent words and a filter that few jobs pass, checks those few jobs instead of all with the words.
    const isWorthIt = among === undefined && found.length < limit && isNarrow(filter);
    if (isWorthIt && (await areFrequent(database.reports, lists, frequent)))
      among = await listFew(database.reports, filter, few);
    if (among?.length === 0) break;
    newest = oldest - 1;
    count = Math.min(count * 4, mostBuckets);
    await setImmediate();
  }
  return found;
}

/** Whether it leaves out any jobs of its account. */
function isNarrow({ accountId: _, ...conditions }: JobFilter): boolean {
  return Object.keys(conditions).length > 0;
}

async function catchUpNow(database: Database, accountId: string): Promise<Progress | null> {
  for (const until = performance.now() + patienceMs; ; ) {
    const { progress, more } = await catchUp(database, accountId);
    if (!more || performance.now() > until) return progress;
  }
}
