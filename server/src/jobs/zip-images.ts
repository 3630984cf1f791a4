import { Readable } from 'node:stream';
import type { Database } from '../base/db/database.ts';
import { isUuid } from '../base/std/ids.ts';
import { invalidField } from '../errors.ts';
import type { ImageStore } from '../images/image-store.ts';
import { extensions } from '../images/media-types.ts';
import { readStored } from '../images/read-stored.ts';
import { writeZip, type ZipFile } from '../images/write-zip.ts';
import { unknownJob } from './get-job.ts';
import type { Job } from './job.ts';
import { findOwnJobs } from './job-list-store.ts';

export const maxZipped = 500;

/**
 * The images of jobs of the account as one archive, in the order of the ids; jobs without an image are left out. It is
 * made no faster than it is read.
 *
 * @throws AppError `not_found` for a job that is not the account's, `invalid_request` when none has an image
 */
export async function zipImages(
  { database, images }: { database: Database; images: ImageStore },
  accountId: string,
  jobIds: readonly string[],
): Promise<Readable> {
  const ids = [...new Set(jobIds)];
  const found = await findOwnJobs(database.read, accountId, ids, promptLength);
  if (found.length < ids.length) throw unknownJob();
  const byId = new Map(found.map((job) => [job.id, job]));
  const made = ids.flatMap((id) => byId.get(id) ?? []).filter(({ image }) => image);
  if (made.length === 0) throw invalidField('/query/job_ids', 'must name a job that has an image.');
  const files = made.map((job) => pictureFile(images, job, dayOf(job)));
  return Readable.from(writeZip(files), { highWaterMark: 1 });
}

/**
 * Ids of jobs, with commas between them. The longest selection fits into an address when each is written as its 16 bytes in
 * base64url, with 22 characters. @throws AppError `invalid_request`, `not_found`
 */
export function readJobIds(text: string): string[] {
  const ids = text.split(',').map((id) => (shortId.test(id) ? toUuid(id) : id.toLowerCase()));
  if (ids.length > maxZipped) throw invalidField('/query/job_ids', `must have at most ${maxZipped} entries.`);
  if (!ids.every(isUuid)) throw unknownJob();
  return ids;
}

const shortId = /^[A-Za-z0-9_-]{22}$/;

function toUuid(short: string): string {
  const hex = Buffer.from(short, 'base64url').toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const promptLength = 60;

/** The picture of a job as a file of an archive, named by words of its prompt and the end of the job's id. */
export function pictureFile(
  images: ImageStore,
  { id, prompt, image, createdAt, finishedAt }: Job,
  prefix: string,
): ZipFile {
  const words =
    prompt
      .slice(0, promptLength)
      .match(/[\p{L}\p{N}]+/gu)
      ?.join('-') ?? 'image';
  return {
    name: `${prefix} ${words} ${id.slice(-12)}.${extensions[image?.mediaType ?? 'image/png']}`,
    modifiedAt: finishedAt ?? createdAt,
    async open() {
      const stored = image && (await images.get(image.key));
      return stored ? Readable.from(readStored(image.key, stored.body)) : undefined;
    },
  };
}

function dayOf({ createdAt }: Job): string {
  return new Date(createdAt).toISOString().slice(0, 10);
}
