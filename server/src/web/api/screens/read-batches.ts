import type { Static } from 'typebox';
import type { Database } from '../../../base/db/database.ts';
import type { LinkSigner } from '../../../images/image-links.ts';
import { listFirstIds } from '../../../jobs/batches/batch-store.ts';
import { findOwnJobs } from '../../../jobs/job-list-store.ts';
import { presentJob } from '../../../jobs/present-job.ts';
import { type batchListQuery, listAccountBatches } from '../nouns/batches/account-batch-calls.ts';

export interface BatchesDeps {
  database: Database;
  links: Pick<LinkSigner, 'sign'>;
}

/** The number of images in a row beside the batch's name, or above it on a phone. */
const firstCount = 4;
/** The length to which prompts are cut, because they are only alternative texts of small images. */
const promptLength = 100;

export async function readBatches(
  { database, links }: BatchesDeps,
  accountId: string,
  query: Static<typeof batchListQuery>,
) {
  const { data, ...page } = await listAccountBatches(database, accountId, query);
  const batchIds = data.map(({ batch_id }) => batch_id);
  const firsts = await listFirstIds(database.reports, { batchIds, count: firstCount });
  const ids = firsts.map(({ id }) => id);
  const jobs = new Map(
    (await findOwnJobs(database.reports, accountId, ids, promptLength)).map((job) => [job.id, job]),
  );
  const firstOf = Map.groupBy(firsts, ({ batchId }) => batchId);
  return {
    ...page,
    data: data.map((batch) => ({
      ...batch,
      first_jobs: (firstOf.get(batch.batch_id) ?? [])
        .flatMap(({ id }) => jobs.get(id) ?? [])
        .map((job) => presentJob(job, links)),
    })),
  };
}
