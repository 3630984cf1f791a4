import Type from 'typebox';
import type { Queries } from '../../../../base/db/schema.ts';
import { isUuid } from '../../../../base/std/ids.ts';
import { unknownJob } from '../../../../jobs/get-job.ts';
import { findOwnerOfJob } from '../../../../jobs/job-store.ts';

// The id is not declared as a UUID, so that any other text is answered as an unknown job, not as an invalid request.
export const jobParams = Type.Object({ job_id: Type.String() });

export async function ownerOfJob(queries: Queries, { job_id: id }: { job_id: string }): Promise<string> {
  const accountId = isUuid(id) ? await findOwnerOfJob(queries, id) : undefined;
  if (accountId === undefined) throw unknownJob();
  return accountId;
}
