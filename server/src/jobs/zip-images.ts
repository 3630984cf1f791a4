import { Readable } from 'node:stream';
import type { Database } from '../base/db/database.ts';
import { invalidField } from '../errors.ts';
import type { ImageStore, StoredObject } from '../images/image-store.ts';
import { extensions } from '../images/media-types.ts';
import { readStored } from '../images/read-stored.ts';
import { renditionType } from '../images/renditions.ts';
import { writeZip, type ZipFile } from '../images/write-zip.ts';
import { readOwnJobs } from './get-job.ts';
import type { Job } from './job.ts';
import { nameImages, promptLength, usualPattern } from './name-images.ts';

export const maxZipped = 500;

interface Wanted {
  jobIds: readonly string[];
  /** How files are called. */
  pattern?: string | undefined;
  /** Opens a smaller image of a job; without it, they are as they were made. */
  smaller?: ((job: Job) => Promise<StoredObject | undefined>) | undefined;
}

/**
 * The images of jobs of the account as one archive, in the order of the ids; jobs without an image are left out. It is
 * made no faster than it is read.
 *
 * @throws AppError `not_found` for a job that is not the account's, `invalid_request` when none has an image
 */
export async function zipImages(
  { database, images }: { database: Database; images: ImageStore },
  accountId: string,
  { jobIds, pattern = usualPattern, smaller }: Wanted,
): Promise<Readable> {
  const found = await readOwnJobs(database.read, accountId, jobIds, promptLength);
  const made = found.filter(({ image }) => image);
  if (made.length === 0) throw invalidField('/query/job_ids', 'must name a job that has an image.');
  const nameOf = nameImages(pattern);
  const files = made.map((job, index): ZipFile => {
    const number = String(index + 1).padStart(String(made.length).length, '0');
    const name = nameOf(job, number, smaller ? extensions[renditionType] : extensionOf(job));
    return pictureFile(job, name, () => (smaller ? smaller(job) : openStored(images, job)));
  });
  return Readable.from(writeZip(files), { highWaterMark: 1 });
}

/**
 * Ids of jobs, with commas between them. The longest selection fits into an address when each is written as its 16 bytes in
 * base64url, with 22 characters. @throws AppError `invalid_request`
 */
export function readJobIds(text: string): string[] {
  const ids = text.split(',').map((id) => (shortId.test(id) ? toUuid(id) : id));
  if (ids.length > maxZipped) throw invalidField('/query/job_ids', `must have at most ${maxZipped} entries.`);
  return ids;
}

const shortId = /^[A-Za-z0-9_-]{22}$/;

function toUuid(short: string): string {
  const hex = Buffer.from(short, 'base64url').toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The picture of a job as a file of an archive. */
export function pictureFile(
  { image, createdAt, finishedAt }: Job,
  name: string,
  open: () => Promise<StoredObject | undefined>,
): ZipFile {
  return {
    name,
    modifiedAt: finishedAt ?? createdAt,
    async open() {
      const stored = await open();
      return stored && Readable.from(readStored(image?.key ?? name, stored.body));
    },
  };
}

/** As it was made. */
export async function openStored(images: ImageStore, { image }: Job): Promise<StoredObject | undefined> {
  return image ? images.get(image.key) : undefined;
}

export function extensionOf({ image }: Job): string {
  return extensions[image?.mediaType ?? 'image/png'];
}
