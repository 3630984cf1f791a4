import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import type { ApiKey } from '../../../accounts/key-store.ts';
import type { CreateDeps } from '../../../admission/create-job.ts';
import type { UrlChecks } from '../../../admission/judge-urls.ts';
import type { QuoteDeps } from '../../../admission/quotes/quote-job.ts';
import { keyActor } from '../../../audit/audit-store.ts';
import type { Catalogue } from '../../../catalog/catalogue.ts';
import { clientGone } from '../../../http/client-gone.ts';
import { maxWaitSeconds, preferredWait } from '../../../http/request-headers.ts';
import { named, page } from '../../../http/schemas.ts';
import { type CancelDeps, cancelJob } from '../../../jobs/cancel/cancel-job.ts';
import { type DeleteImagesDeps, deleteImage } from '../../../jobs/delete-images.ts';
import { getJob, type WantedJob, waitForJob } from '../../../jobs/get-job.ts';
import type { Job } from '../../../jobs/job.ts';
import { listJobPage } from '../../../jobs/list-job-page.ts';
import { presentJob, presentLiveJob } from '../../../jobs/present-job.ts';
import { readTags } from '../../../jobs/tags/tag-store.ts';
import { apiCall } from '../../api-call.ts';
import { listSchema, readFilter, readPosition, writePosition } from './job-filters.ts';
import { jobParams } from './job-params.ts';
import { jobSchema } from './job-schemas.ts';
import { createReadyAnswers } from './ready-answers.ts';
import { prefersStream, type StreamDeps, streamJob } from './stream-job.ts';

export interface JobCallDeps
  extends CreateDeps,
    QuoteDeps,
    CancelDeps,
    DeleteImagesDeps,
    UrlChecks,
    StreamDeps {
  catalogue: Catalogue;
  /** Aborts when the server drains: requests that wait for a job are then answered with its current state. */
  closing: AbortSignal;
}

const defaultPageSize = 20;
const tag = 'Jobs';

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function jobCalls(deps: JobCallDeps) {
  const { links } = deps;
  const sendEnded = createReadyAnswers(deps);
  return {
    get: apiCall({
      tag,
      operationId: 'getJob',
      summary: 'Read a job',
      description: `With \`Prefer: wait=N\` the answer comes when the job is done or failed, or after N seconds (at most ${maxWaitSeconds}). With \`Accept: text/event-stream\` it is a stream of server-sent events: one named \`job\`, with the job as its data and the status as its id, at once and after every change of the status, the last when the job is done or failed. A stream that ends before may be opened again.`,
      params: jobParams,
      headers: {
        prefer: { schema: { type: 'string' }, description: '`wait=N`, seconds.' },
        'last-event-id': {
          schema: { type: 'string' },
          description:
            'Of a stream: the status that the client has seen, which is not sent again; 204 when it is the last.',
        },
      },
      status: 200,
      reply: named(jobSchema),
      replyHeaders: { 'preference-applied': preferenceNote },
      errors: ['not_found', 'overloaded'],
      async handle(request, reply) {
        const wanted = wantedBy(request.apiKey, request.params.job_id);
        if (prefersStream(request) && (await streamJob(deps, request, reply, wanted))) return reply;
        const wait = preferredWait(request);
        const job =
          wait === undefined ? await getJob(deps, wanted) : await honourWait(deps, reply, wanted, wait);
        return job.finishedAt === null ? presentLiveJob(job, deps) : sendEnded(job, reply);
      },
    }),

    list: apiCall({
      tag,
      operationId: 'listJobs',
      summary: 'List jobs, newest first',
      description:
        'Jobs of the account, for as long as they are kept (30 days unless the operator says otherwise). A filter by what does not exist, such as a tag that no job has, is refused with what there is.',
      query: listSchema(defaultPageSize),
      status: 200,
      reply: page('JobList', named(jobSchema)),
      errors: [],
      async handle({ apiKey, query }) {
        const limit = Number(query.limit ?? defaultPageSize);
        const filter = await readFilter(deps, apiKey.accountId, query);
        const { jobs, next } = await listJobPage(deps.database, filter, {
          after: readPosition(query),
          limit,
        });
        const tagsOf = await readTags(
          deps.database.reports,
          jobs.map(({ id }) => id),
        );
        const data = jobs.map((job) => ({ ...presentJob(job, links), ...tagsOf(job.id) }));
        return { data, next_cursor: writePosition(next) };
      },
    }),

    cancel: apiCall({
      tag,
      operationId: 'cancelJob',
      summary: 'Cancel a job',
      description:
        'A job that is queued or processing fails with `error_code` `cancelled` and its price is released. What an attempt under way still brings is dropped.',
      params: jobParams,
      status: 200,
      reply: named(jobSchema),
      errors: ['not_found', 'job_not_cancellable', 'body_too_large'],
      async handle({ apiKey, params }) {
        return presentJob(
          await cancelJob(deps, { accountId: apiKey.accountId, jobId: params.job_id }),
          links,
        );
      },
    }),

    deleteImage: apiCall({
      tag,
      operationId: 'deleteImage',
      summary: 'Delete the image of a job',
      description:
        'Removes the image of a job that has ended, its smaller versions, its prompt, parameters and input images, for good. The job stays, with its price. Links to the images answer 410 from now on. Deleting again changes nothing.',
      params: jobParams,
      status: 204,
      reply: Type.Null({ description: 'It is deleted.' }),
      errors: ['not_found', 'job_not_finished'],
      async handle({ apiKey, params }, reply) {
        const { accountId } = apiKey;
        await deleteImage(deps, { accountId, jobId: params.job_id, by: keyActor(apiKey) });
        return reply.code(204).send();
      },
    }),
  };
}

/** A job as the holder of this key or token may see it. */
export function wantedBy({ accountId, clientToken }: ApiKey, jobId: string): WantedJob {
  return { jobId, accountId, clientTokenId: clientToken?.id };
}

/** Waits for the end of a job as long as its client prefers, and says so. */
export async function honourWait(
  deps: Pick<JobCallDeps, 'readJob' | 'signals' | 'closing'>,
  reply: FastifyReply,
  wanted: WantedJob,
  waitSeconds: number,
): Promise<Job> {
  const signal = AbortSignal.any([clientGone(reply), deps.closing]);
  const job = await waitForJob(deps, { ...wanted, waitMs: waitSeconds * 1000, signal });
  reply.header('preference-applied', `wait=${waitSeconds}`);
  return job;
}

export const preferenceNote = '`wait=N` when the preference was honoured.';
