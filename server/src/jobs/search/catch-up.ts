import { setImmediate } from 'node:timers/promises';
import type { Database } from '../../base/db/database.ts';
import {
  insertWords,
  listUnread,
  lockProgress,
  type Progress,
  readProgress,
  type UnreadEntry,
  writeProgress,
} from './word-store.ts';
import { indexedWords } from './words.ts';

// A step of this many entries takes a few milliseconds. Requests that create jobs run between steps.
const entriesPerStep = 200;
/** Yields to the event loop after this many characters. */
const charactersAtOnce = 50_000;
/** The number of jobs that share a bucket of words. Searches read buckets from the newest until they have enough. */
export const jobsPerBucket = 4_096;

/**
 * Indexes the words of the account's next entries, in one process at a time. Returns the progress, and whether there
 * may be more entries.
 */
export async function catchUp(
  database: Database,
  accountId: string,
): Promise<{ progress: Progress | null; more: boolean }> {
  const before = await readProgress(database.read, accountId);
  const after = before?.entryId ?? 0;
  const entries = await listUnread(database.read, { accountId, after, limit: entriesPerStep });
  const last = entries.at(-1);
  if (!last) return { progress: before, more: false };
  const read = await readWords(entries);
  const progress = await database.transaction(async (tx) => {
    const { number, entryId, jobs } = await lockProgress(tx, accountId);
    // If the progress has changed, another process has already indexed these entries.
    if (entryId !== after) return { number, entryId, jobs };
    const scoped = read.map(({ words, ...job }, index) => {
      const scope = scopeOf(number, Math.floor((jobs + index) / jobsPerBucket));
      return { ...job, words: words.map((word) => scope + word) };
    });
    await insertWords(tx, scoped);
    const now = { number, entryId: last.entryId, jobs: jobs + read.length };
    await writeProgress(tx, now);
    return now;
  });
  return { progress, more: entries.length === entriesPerStep };
}

/** The prefix of indexed words, so that a search reads no words of other accounts. */
export function scopeOf(accountNumber: number, bucket: number): string {
  return `${accountNumber.toString(36)}.${bucket.toString(36)}.`;
}

async function readWords(entries: readonly UnreadEntry[]) {
  const read: { entryId: number; jobId: string; words: string[] }[] = [];
  let characters = 0;
  for (const { entryId, jobId, prompt } of entries) {
    if (jobId === null || prompt === null) continue;
    read.push({ entryId, jobId, words: indexedWords(prompt) });
    characters += prompt.length;
    if (characters < charactersAtOnce) continue;
    await setImmediate();
    characters = 0;
  }
  return read;
}
