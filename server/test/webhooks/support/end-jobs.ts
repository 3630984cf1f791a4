import { newId } from '../../../src/base/std/ids.ts';
import { createAdmission } from '../../../src/jobs/admission/admission.ts';
import { settleJobsIfUnchanged } from '../../../src/jobs/settle-jobs.ts';
import { plainJob } from '../../world/plain-job.ts';
import type { World } from '../../world/world.ts';

// A transaction with this many jobs is short enough for concurrent work.
const chunk = 1_000;

export async function endJobs({ app, accountId }: World, count: number): Promise<void> {
  const { database } = app;
  const ids = Array.from({ length: count }, () => newId(Date.now()));
  const asker = { accountId, keyId: accountId, clientTokenId: null, requestId: null };
  const job = { ...plainJob, model: 'nb', priceMicros: 1n };
  const admit = createAdmission(database, () => {});
  const outcome = { status: 'failed', error: 'The job was cancelled.', errorCode: 'cancelled' } as const;
  for (let from = 0; from < count; from += chunk) {
    const some = ids.slice(from, from + chunk);
    await Promise.all(
      some.map((id) =>
        admit({ asker, jobs: [{ ...job, id }], inputBytes: 0, unserved: null, idempotency: null }),
      ),
    );
    await database.transaction((tx) =>
      settleJobsIfUnchanged(
        tx,
        some.map((jobId) => ({ jobId, attempt: 0, worker: null, outcome })),
      ),
    );
  }
}
