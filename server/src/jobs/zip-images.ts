import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../base/db/database.ts';
import { Overloaded } from '../base/std/overloaded.ts';
import { invalidField } from '../errors.ts';
import type { ImageStore, StoredObject } from '../images/image-store.ts';
import { extensions, type StoredMediaType } from '../images/media-types.ts';
import { streamStored } from '../images/read-stored.ts';
import { writeZip, type ZipFile } from '../images/write-zip.ts';
import { readOwnJobs, unknownJob } from './get-job.ts';
import type { Job } from './job.ts';
import { imageOf } from './link-image.ts';
import { nameImages, promptLength } from './name-images.ts';

export const maxZipped = 500;

export interface Taken {
  pattern: string;
  typeOf(job: Job): StoredMediaType;
  open(job: Job, left?: AbortSignal): Promise<StoredObject | undefined>;
}

export function asMade(images: ImageStore, pattern: string): Taken {
  return {
    pattern,
    typeOf: ({ image }) => image?.mediaType ?? 'image/png',
    open: async ({ image }) => (image ? images.get(image.key) : undefined),
  };
}

/**
 * Streams existing images as one archive. If the first image takes too long, reading the stream fails with
 * `Overloaded`.
 * @throws AppError `not_found` for a job that is not the account's, `invalid_request` when none has an image
 */
export async function zipImages(
  database: Database,
  accountId: string,
  jobIds: readonly string[],
  taken: Taken,
): Promise<(left: AbortSignal) => Readable> {
  const found = await readOwnJobs(database.read, accountId, jobIds, promptLength);
  const made = found.filter(({ image }) => image);
  if (made.length === 0) throw invalidField('/query/job_ids', 'must name a job that has an image.');
  const digits = String(made.length).length;
  return (left) => {
    const fileOf = nameFiles(taken, left);
    const files = made.map((job, index) => {
      const file = fileOf(job, String(index + 1).padStart(digits, '0'));
      // The first file decides whether the response is an archive or an error.
      return index === 0 ? file : { ...file, open: () => inTime(file.open, left) };
    });
    return Readable.from(writeZip(files), { highWaterMark: 1 });
  };
}

/** Opens a file, and waits while the server is overloaded, because a started archive cannot become an error. */
async function inTime<Opened>(open: () => Promise<Opened>, left: AbortSignal): Promise<Opened> {
  for (;;) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof Overloaded)) throw error;
    }
    await sleep(turnMs, undefined, { signal: left });
  }
}

/** The pause before a retry, about the time for one image. */
const turnMs = 1_000;

/** Describes a job's image as a file. @throws AppError `not_found`, `job_not_finished`, `image_gone` */
export async function takeImage(
  database: Database,
  accountId: string,
  jobId: string,
  taken: Taken,
): Promise<TakenImage> {
  const [job] = await readOwnJobs(database.read, accountId, [jobId], promptLength);
  if (!job) throw unknownJob();
  const { key } = imageOf(job);
  const { name: fileName } = nameFiles(taken)(job, '1');
  return { mediaType: taken.typeOf(job), fileName, key, open: (left) => taken.open(job, left) };
}

interface TakenImage {
  mediaType: string;
  fileName: string;
  key: string;
  open(left: AbortSignal): Promise<StoredObject | undefined>;
}

/** Reads job ids, which may be base64url, so that more of them fit in a URL. @throws AppError `invalid_request` */
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

/** Describes images as files of an archive. `number` is the position of each, as text. */
export function nameFiles(
  { pattern, typeOf, open }: Taken,
  left?: AbortSignal,
): (job: Job, number: string) => ZipFile {
  const nameOf = nameImages(pattern);
  return (job, number) => {
    const name = nameOf(job, number, extensions[typeOf(job)]);
    return {
      name,
      modifiedAt: job.finishedAt ?? job.createdAt,
      async open() {
        const stored = await open(job, left);
        return stored && streamStored(job.image?.key ?? name, stored.body);
      },
    };
  };
}
