import type { Database } from '../../db/database.ts';
import type { LinkSigner } from '../../images/image-links.ts';
import type { Job } from '../job.ts';
import { presentJob } from '../present-job.ts';
import { listBatchJobs } from './batch-store.ts';

/** Prompts are long: a page of the longest is a few megabytes. */
const pageSize = 100;

/** The jobs of a batch in the order of its requests, read page by page. */
export async function* readBatchJobs(
  database: Database,
  batchId: string,
): AsyncGenerator<{ index: number; job: Job }> {
  for (let after = -1; ; ) {
    const page = await listBatchJobs(database.read, { batchId, after, limit: pageSize });
    yield* page;
    after = page.at(-1)?.index ?? after;
    if (page.length < pageSize) return;
  }
}

/** JSON Lines: the place of each request in its batch, from 0, and its job as `GET /jobs/{job_id}` presents it. */
export async function* writeResults(
  { database, links }: { database: Database; links: Pick<LinkSigner, 'sign'> },
  batchId: string,
): AsyncGenerator<string> {
  for await (const { index, job } of readBatchJobs(database, batchId))
    yield `${JSON.stringify({ index, job: presentJob(job, links) })}\n`;
}
