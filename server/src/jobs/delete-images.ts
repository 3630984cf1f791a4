import { type Actor, insertAuditEntry } from '../base/audit/audit-store.ts';
import type { Database } from '../base/db/database.ts';
import type { Tx } from '../base/db/schema.ts';
import { readId } from '../base/std/ids.ts';
import type { Log } from '../base/std/log.ts';
import { AppError } from '../errors.ts';
import type { ImageStore } from '../images/image-store.ts';
import { insertRemovals } from '../images/removals/removal-store.ts';
import { removeAll } from '../images/remove-all.ts';
import { keysOfAttempts } from '../images/renditions.ts';
import { dropContent, lockJobs } from './drop-content-store.ts';
import { unknownJob } from './get-job.ts';
import { type Job, storedInputs } from './job.ts';
import { forgetWords } from './search/word-store.ts';

export interface DeleteImagesDeps {
  database: Database;
  images: ImageStore;
  log: Log;
  /** Whether the image store belongs to this installation. */
  mayRemove(): Promise<boolean>;
}

export interface ImagesToDelete {
  accountId: string;
  jobIds: readonly string[];
  by: Actor;
}

export interface DeletedImages {
  /** The jobs that have no image now, including those whose image was deleted before. */
  deleted: string[];
  unknown: string[];
  unfinished: string[];
}

/** Deletes images, prompts and inputs. The same transaction records the objects to remove, so a crash leaves none. */
export async function deleteImages(
  deps: DeleteImagesDeps,
  { accountId, jobIds, by }: ImagesToDelete,
): Promise<DeletedImages> {
  const { result, keys } = await deps.database.transaction(async (tx) => {
    const ids = [...new Set(jobIds.flatMap((id) => readId(id) ?? []))];
    const jobs = await lockJobs(tx, ids);
    const own = new Map(jobs.filter((job) => job.accountId === accountId).map((job) => [job.id, job]));
    const ended = [...own.values()].filter(({ finishedAt }) => finishedAt !== null);
    const found = Object.groupBy(jobIds, (id) => stateOf(own.get(id.toLowerCase())));
    const { deleted = [], unknown = [], unfinished = [] } = found;
    return {
      result: { deleted, unknown, unfinished },
      keys: await drop(
        tx,
        ended.filter(({ imageDeletedAt }) => imageDeletedAt === null),
        by,
      ),
    };
  });
  await removeNow(deps, keys);
  return result;
}

/** @throws AppError `not_found`; `job_not_finished` */
export async function deleteImage(
  deps: DeleteImagesDeps,
  { jobId, ...who }: Omit<ImagesToDelete, 'jobIds'> & { jobId: string },
): Promise<void> {
  const { unknown, unfinished } = await deleteImages(deps, { ...who, jobIds: [jobId] });
  if (unknown.length > 0) throw unknownJob();
  if (unfinished.length > 0)
    throw new AppError('job_not_finished', 'The job has not ended. Wait until it has, or cancel it first.');
}

function stateOf(job: Job | undefined): keyof DeletedImages {
  if (!job) return 'unknown';
  return job.finishedAt === null ? 'unfinished' : 'deleted';
}

/** Returns the keys of the objects to remove. */
async function drop(tx: Tx, jobs: readonly Job[], by: Actor): Promise<string[]> {
  if (jobs.length === 0) return [];
  const keys = jobs.flatMap((job) => [...picturesOf(job), ...storedInputs(job).map(({ key }) => key)]);
  await dropContent(
    tx,
    jobs.map(({ id }) => id),
  );
  await forgetWords(
    tx,
    jobs.map(({ id }) => id),
  );
  await insertRemovals(tx, keys);
  for (const { id, accountId } of jobs)
    await insertAuditEntry(tx, by, { action: 'image.deleted', accountId, subject: id, detail: {} });
  return keys;
}

function picturesOf({ id, attempt, image, output }: Job): string[] {
  const format = output?.format;
  return keysOfAttempts(id, { attempts: attempt, imageKey: image?.key ?? null, ...(format && { format }) });
}

/** Removes objects now, unless the store is another installation's. Maintenance retries failed removals. */
export async function removeNow(
  { images, log, mayRemove }: Pick<DeleteImagesDeps, 'images' | 'log' | 'mayRemove'>,
  keys: readonly string[],
): Promise<void> {
  try {
    if (keys.length === 0 || !(await mayRemove())) return;
    await removeAll(images, keys);
  } catch (error) {
    log.warn('images.not_removed', { keys: keys.length, reason: String(error) });
  }
}
