import Type from 'typebox';
import { sizeOf } from '../../../../base/http/cursor.ts';
import { closed, named, page } from '../../../../base/http/schemas.ts';
import { type CancelDeps, cancelJob } from '../../../../jobs/cancel/cancel-job.ts';
import { type DeleteImagesDeps, deleteImage, deleteImages } from '../../../../jobs/delete-images.ts';
import { listJobPage } from '../../../../jobs/list-job-page.ts';
import { type PresentDeps, presentJob, presentJobs } from '../../../../jobs/present-job.ts';
import { accountCall } from '../../account-call.ts';
import {
  type FilterDeps,
  jobFormerNames,
  listSchema,
  readFilter,
  readPosition,
  writePosition,
} from './job-filters.ts';
import { jobParams, ownerOfJob } from './job-params.ts';
import { jobSchema } from './job-schemas.ts';

export type AccountJobDeps = CancelDeps & DeleteImagesDeps & FilterDeps & PresentDeps;

const tag = 'Jobs';
const maxDeleted = 100;
const jobIds = (description: string) => Type.Array(Type.String({ format: 'uuid' }), { description });

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function accountJobCalls(deps: AccountJobDeps) {
  const { database, links } = deps;
  return {
    list: accountCall({
      tag,
      operationId: 'listJobs',
      summary: 'List jobs, newest first',
      description:
        'Jobs of the account, as long as they are kept (30 days by default). A filter with an unknown value, such as a tag that no job has, is refused with the known ones.',
      query: listSchema,
      formerNames: jobFormerNames,
      reply: page('JobList', named(jobSchema)),
      async handle({ accountId, query }) {
        const limit = sizeOf(query.limit);
        const filter = await readFilter(deps, accountId, query);
        const promptLength = query.prompt_length === undefined ? undefined : Number(query.prompt_length);
        const page = { after: readPosition(query), limit, promptLength };
        const { jobs, next } = await listJobPage(database, filter, page);
        return { data: await presentJobs(deps, jobs), next_cursor: writePosition(next) };
      },
    }),

    cancel: accountCall({
      tag,
      operationId: 'cancelJob',
      summary: 'Cancel a job',
      description:
        'A queued or processing job fails with `error_code` `cancelled`, and its price is released. The result of a running attempt is dropped.',
      params: jobParams,
      reply: named(jobSchema),
      errors: ['not_found', 'job_not_cancellable', 'body_too_large'],
      ownerOf: ownerOfJob,
      async handle({ accountId, params, by, isKey }) {
        const job = await cancelJob(deps, { accountId, jobId: params.job_id }, isKey ? undefined : by);
        return presentJob(job, links);
      },
    }),

    deleteImage: accountCall({
      tag,
      operationId: 'deleteImage',
      summary: 'Delete the image of a job',
      description:
        'Permanently removes the image of a job that has ended, its smaller versions, its prompt, parameters and input images. The job stays, with its price. Links to the images then answer 410. A repeat changes nothing.',
      params: jobParams,
      status: 204,
      reply: Type.Null({ description: 'It is deleted.' }),
      errors: ['not_found', 'job_not_finished'],
      ownerOf: ownerOfJob,
      async handle({ accountId, params, by }) {
        await deleteImage(deps, { accountId, jobId: params.job_id, by });
        return null;
      },
    }),

    deleteImages: accountCall({
      tag,
      operationId: 'deleteImages',
      summary: 'Delete the images of jobs',
      description: `Deletes the images of up to ${maxDeleted} jobs, as the call for one job does. The answer has the outcome for each.`,
      body: closed(
        { job_ids: Type.Array(Type.String(), { minItems: 1, maxItems: maxDeleted }) },
        { title: 'ImageDeletion' },
      ),
      reply: Type.Object(
        {
          deleted: jobIds('Includes those deleted before.'),
          unknown: jobIds('The ids that are not jobs of the account.'),
          unfinished: jobIds('Jobs that have not ended.'),
        },
        { title: 'DeletedImages' },
      ),
      handle: ({ accountId, by, body }) => deleteImages(deps, { accountId, jobIds: body.job_ids, by }),
    }),
  };
}
