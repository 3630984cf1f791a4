import { Readable } from 'node:stream';
import type { Database } from '../../base/db/database.ts';
import { breathe } from '../../base/std/lateness/turns.ts';
import type { LinkSigner } from '../../images/image-links.ts';
import type { ImageStore } from '../../images/image-store.ts';
import { writeZip, type ZipFile } from '../../images/write-zip.ts';
import type { Job } from '../job.ts';
import { presentJob } from '../present-job.ts';
import { asMade, nameFiles } from '../zip-images.ts';
import { type Batch, listBatchJobs } from './batch-store.ts';

/** The page size. A page of the longest prompts is a few megabytes. */
const pageSize = 100;

export async function* readBatchJobs(
  database: Database,
  batchId: string,
): AsyncGenerator<{ index: number; job: Job }> {
  for (let after = -1; ; ) {
    const page = await listBatchJobs(database.reports, { batchId, after, limit: pageSize });
    for (const one of page) {
      // Yields to the event loop, because a fast reader never pauses the stream, and SQLite answers without yielding.
      await breathe();
      yield one;
    }
    after = page.at(-1)?.index ?? after;
    if (page.length < pageSize) return;
  }
}

/**
 * Writes JSON Lines: each request's index in the batch, from 0, and its job as `GET /jobs/{job_id}` presents it, without
 * `queue`, which would cost an estimate for each of 10,000 jobs.
 */
export async function* writeResults(
  { database, links }: { database: Database; links: Pick<LinkSigner, 'sign'> },
  batchId: string,
): AsyncGenerator<string> {
  for await (const { index, job } of readBatchJobs(database, batchId))
    yield `${JSON.stringify({ index, job: presentJob(job, links) })}\n`;
}

/** Streams a batch's images as one archive, in the order of the requests, at the client's pace. */
export function zipBatch(
  { database, images }: { database: Database; images: ImageStore },
  { id, jobs }: Batch,
): Readable {
  const digits = String(jobs - 1).length;
  const fileOf = nameFiles(asMade(images, '{number} {prompt} {id}'));
  async function* files(): AsyncGenerator<ZipFile> {
    for await (const { index, job } of readBatchJobs(database, id))
      if (job.image) yield fileOf(job, String(index).padStart(digits, '0'));
  }
  return Readable.from(writeZip(files()), { highWaterMark: 1 });
}
