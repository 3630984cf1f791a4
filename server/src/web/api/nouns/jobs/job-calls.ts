import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import type { ApiKey } from '../../../../accounts/key-store.ts';
import { clientGone } from '../../../../base/http/client-gone.ts';
import { maxWaitSeconds, preferredWait } from '../../../../base/http/request-headers.ts';
import { named, oneOf } from '../../../../base/http/schemas.ts';
import type { CreateDeps } from '../../../../jobs/admission/create-job.ts';
import type { UrlChecks } from '../../../../jobs/admission/judge-urls.ts';
import type { QuoteDeps } from '../../../../jobs/admission/quotes/quote-job.ts';
import type { CancelDeps } from '../../../../jobs/cancel/cancel-job.ts';
import type { DeleteImagesDeps } from '../../../../jobs/delete-images.ts';
import { getJob, type WantedJob, waitForJob } from '../../../../jobs/get-job.ts';
import type { Job } from '../../../../jobs/job.ts';
import { type PresentDeps, presentLiveJob, presentWholeJob } from '../../../../jobs/present-job.ts';
import type { expectedCost } from '../../../../jobs/routes/expected-cost.ts';
import type { Catalogue } from '../../../../upstream/catalog/catalogue.ts';
import { apiCall } from '../../api-call.ts';
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
    Omit<PresentDeps, 'links'>,
    StreamDeps {
  catalogue: Catalogue;
  expectedCost(wanted: Parameters<typeof expectedCost>[1]): Promise<bigint | null>;
  /** Aborts when the server drains. Requests that wait for a job then get its current state. */
  closing: AbortSignal;
}

/** The call with which clients poll, the most frequent call of all. */
export function readJobCall(deps: JobCallDeps) {
  const sendEnded = createReadyAnswers(deps);
  return apiCall({
    tag: 'Jobs',
    operationId: 'getJob',
    summary: 'Read a job',
    description: `With \`Prefer: wait=N\` the answer comes when the job is done or failed, or after N seconds (at most ${maxWaitSeconds}). With \`Accept: text/event-stream\` it is a stream of server-sent events: one named \`job\`, with the job as its data and the status as its id, at once and after every change of the status, the last when the job is done or failed. A stream that ends before may be opened again.`,
    params: jobParams,
    query: Type.Object({
      include: Type.Optional(
        oneOf(['tags'], {
          description:
            '`tags` adds the fields that lists have: `tags`, `starred`, `kept_until` and `key_id`. Streams do not support it.',
        }),
      ),
    }),
    headers: {
      prefer: { schema: { type: 'string' }, description: '`wait=N`, seconds.' },
      'last-event-id': {
        schema: { type: 'string' },
        description:
          'The last status that the client of a stream has seen, which is not sent again; 204 if it is final.',
      },
    },
    reply: named(jobSchema),
    otherTypes: { 'text/event-stream': Type.String({ description: 'Server-sent events.' }) },
    otherReplies: {
      204: { description: 'The client of a stream has seen the last event, and need not connect again.' },
    },
    replyHeaders: { 'preference-applied': preferenceNote },
    errors: ['not_found', 'overloaded'],
    async handle(request, reply) {
      const wanted = wantedBy(request.apiKey, request.params.job_id);
      if (prefersStream(request) && (await streamJob(deps, request, reply, wanted))) return reply;
      const wait = preferredWait(request);
      const job =
        wait === undefined ? await getJob(deps, wanted) : await honourWait(deps, reply, wanted, wait);
      if (request.query.include !== undefined) return presentWholeJob(deps, job);
      return job.finishedAt === null ? presentLiveJob(job, deps) : sendEnded(job, reply);
    },
  });
}

export function wantedBy({ accountId, clientToken }: ApiKey, jobId: string): WantedJob {
  return { jobId, accountId, clientTokenId: clientToken?.id };
}

/** Waits until the job ends, but at most as long as the client prefers. A header confirms this preference. */
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
