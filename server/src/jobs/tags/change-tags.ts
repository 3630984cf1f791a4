import type { Database } from '../../base/db/database.ts';
import { isUuid } from '../../base/std/ids.ts';
import { AppError } from '../../errors.ts';
import { unknownJob } from '../get-job.ts';
import {
  deleteStars,
  deleteTags,
  insertStars,
  insertTags,
  lockOwn,
  readTags,
  type Tags,
} from './tag-store.ts';

export const maxTags = 20;
export const maxTagLength = 50;

export interface TagChange {
  add?: readonly string[];
  remove?: readonly string[];
  /** Undefined to leave the star unchanged. */
  starred?: boolean | undefined;
}

/**
 * Changes all of these jobs or none. `jobIds` are in lowercase, each once.
 * @throws AppError `not_found` for a job that is not the account's, `invalid_request` for more than `maxTags`
 */
export async function changeTags(
  database: Database,
  { accountId, jobIds }: { accountId: string; jobIds: readonly string[] },
  { add = [], remove = [], starred }: TagChange,
): Promise<(jobId: string) => Tags> {
  if (!jobIds.every(isUuid)) throw unknownJob();
  return database.transaction(async (tx) => {
    const own = await lockOwn(tx, accountId, jobIds);
    if (own.length < jobIds.length) throw unknownJob();
    await deleteTags(tx, accountId, jobIds, remove);
    await insertTags(tx, accountId, jobIds, add);
    if (starred) await insertStars(tx, accountId, jobIds);
    else if (starred === false) await deleteStars(tx, jobIds);
    const tagsOf = await readTags(tx, jobIds);
    if (jobIds.some((id) => tagsOf(id).tags.length > maxTags))
      throw new AppError('invalid_request', `A job can have at most ${maxTags} tags.`);
    return tagsOf;
  });
}

/** Normalizes a tag, so that equal-looking tags are equal. @throws AppError `invalid_request` */
export function readTag(text: string): string {
  const tag = text.normalize('NFC').trim();
  const length = [...tag].length;
  if (length >= 1 && length <= maxTagLength && !/\p{C}/u.test(tag)) return tag;
  throw new AppError(
    'invalid_request',
    `A tag has 1 to ${maxTagLength} characters, none of which is a line break or invisible.`,
  );
}
