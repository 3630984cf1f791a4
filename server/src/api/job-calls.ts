import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { assertMayUse } from '../accounts/authenticate.ts';
import { type CreateDeps, createJob } from '../admission/create-job.ts';
import { bodyDefaults, fingerprintOf } from '../admission/fingerprint.ts';
import { judgeUrls, type UrlChecks } from '../admission/judge-urls.ts';
import {
  type Mode,
  type ModelId,
  modelIds,
  models,
  type RequestedRatio,
  type Resolution,
} from '../catalog/models.ts';
import type { AppError } from '../errors.ts';
import { clientGone } from '../http/client-gone.ts';
import { readCursor, toPage, writeCursor } from '../http/cursor.ts';
import {
  idempotencyKey,
  keyPattern,
  maxKeyLength,
  maxWaitSeconds,
  preferredWait,
} from '../http/request-headers.ts';
import { cursor, named, oneOf, page, pageLimit } from '../http/schemas.ts';
import type { LinkSigner } from '../images/image-links.ts';
import { type CancelDeps, cancelJob } from '../jobs/cancel-job.ts';
import { getJob, type ReadJob, waitForJob } from '../jobs/get-job.ts';
import { type Job, jobStatuses } from '../jobs/job.ts';
import { listJobs } from '../jobs/job-store.ts';
import { type PresentedJob, presentJob } from '../jobs/present-job.ts';
import type { JobSignals } from '../jobs/signals.ts';
import { type ApiCall, apiCall, apiPrefix } from './api-call.ts';
import { type CreateBody, createBodySchema, createdSchema, jobSchema } from './job-schemas.ts';

export interface JobCallDeps extends CreateDeps, CancelDeps, UrlChecks {
  readJob: ReadJob;
  signals: JobSignals;
  links: LinkSigner;
  /** Aborts when the server drains: requests that wait for a job are then answered with its current state. */
  closing: AbortSignal;
}

const pollAgainSeconds = 1;
const defaultPageSize = 20;
const tag = 'Jobs';

/** `POST …/text-generations` and `POST …/url-generations` of one model. */
export function createCall(deps: JobCallDeps, model: ModelId, mode: Mode): ApiCall {
  return apiCall({
    tag: 'Create',
    operationId: `create${operationNames[model]}${mode === 'text' ? 'Text' : 'Url'}Generation`,
    summary: `${summaries[mode]} (${models[model].name.toLowerCase()} model)`,
    description: `The price is reserved now, captured when the job is done and released when it fails. With \`Prefer: wait=N\` the answer comes when the job is done or failed, or after N seconds (at most ${maxWaitSeconds}), and brings the job as it then is.`,
    body: createBodySchema(model, mode),
    takesEscapes: true,
    headers: {
      'idempotency-key': {
        schema: { type: 'string', pattern: keyPattern },
        description: idempotencyNote,
      },
      prefer: { schema: { type: 'string' }, description: '`wait=N`, seconds.' },
    },
    status: 202,
    reply: named(createdSchema),
    replyHeaders: {
      location: 'The path of the job.',
      'retry-after': 'Seconds to wait before polling.',
      'idempotent-replayed':
        '`true` when the job was created by an earlier request with the same Idempotency-Key.',
      'preference-applied': preferenceNote,
    },
    errors: [
      'overloaded',
      'model_forbidden',
      'unsupported_media_type',
      'body_too_large',
      'idempotency_key_reused',
      'idempotency_key_in_use',
      'insufficient_funds',
      'project_paused',
      'model_paused',
      ...(mode === 'url' ? (['inputs_unusable', 'storage_unavailable'] as const) : []),
    ],
    prepare: mendPrompt,
    mistakes: (request) => [...keyMistakes(request), ...judgeUrls(request.body, deps)],
    async handle(request, reply) {
      assertMayUse(request.apiKey, model);
      const body: CreateBody = request.body;
      const key = idempotencyKey(request);
      const { jobId, replayed } = await createJob(deps, {
        accountId: request.apiKey.accountId,
        keyId: request.apiKey.id,
        requestId: request.id,
        model,
        mode,
        prompt: body.prompt,
        aspectRatio: body.aspect_ratio as RequestedRatio, // the schema allows nothing else
        resolution: (body.resolution ?? bodyDefaults.resolution) as Resolution, // likewise
        // Unchanged: the delivery checks the same text again, and an encoded URL may be many times as long.
        callbackUrl: body.callback_url ?? bodyDefaults.callback_url,
        inputUrls: body.input_images_urls ?? [],
        idempotency:
          key === null ? null : { key, fingerprint: fingerprintOf('POST', `${model} ${mode}`, { ...body }) },
        signal: () => clientGone(reply),
      });
      request.jobId = jobId;
      const path = `${apiPrefix}/jobs/${jobId}`;
      reply.code(202).header('location', path).header('retry-after', pollAgainSeconds);
      if (replayed) reply.header('idempotent-replayed', 'true');
      const job = await jobIfWaitedFor(deps, request, reply, jobId);
      return { job_id: jobId, status: 'queued', status_url: path, ...(job && { job }) };
    },
  });
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
export function jobCalls(deps: JobCallDeps) {
  const { links } = deps;
  return {
    get: apiCall({
      tag,
      operationId: 'getJob',
      summary: 'Read a job',
      description: `With \`Prefer: wait=N\` the answer comes when the job is done or failed, or after N seconds (at most ${maxWaitSeconds}).`,
      params: jobParams,
      headers: { prefer: { schema: { type: 'string' }, description: '`wait=N`, seconds.' } },
      status: 200,
      reply: named(jobSchema),
      replyHeaders: { 'preference-applied': preferenceNote },
      errors: ['not_found'],
      async handle(request, reply) {
        const wanted = { accountId: request.apiKey.accountId, jobId: request.params.job_id };
        const wait = preferredWait(request);
        if (wait === undefined) return presentJob(await getJob(deps, wanted), links);
        return presentJob(await honourWait(deps, reply, wanted, wait), links);
      },
    }),

    list: apiCall({
      tag,
      operationId: 'listJobs',
      summary: 'List jobs, newest first',
      description:
        'Jobs of the account, for as long as they are kept (30 days unless the operator says otherwise).',
      query: Type.Object(
        {
          limit: pageLimit(defaultPageSize),
          cursor: Type.Optional(cursor()),
          status: Type.Optional(oneOf(jobStatuses, { title: 'JobStatus' })),
          model: Type.Optional(oneOf(modelIds, { title: 'ModelId' })),
        },
        { additionalProperties: false },
      ),
      status: 200,
      reply: page('JobList', named(jobSchema)),
      errors: ['invalid_request'],
      async handle({ apiKey, query }) {
        const limit = Number(query.limit ?? defaultPageSize);
        const [before] = readCursor(query.cursor, ['id']) ?? [];
        const jobs = await listJobs(deps.database.read, {
          accountId: apiKey.accountId,
          limit: limit + 1,
          ...(query.status && { status: query.status }),
          ...(query.model && { model: query.model }),
          ...(before && { before }),
        });
        const presented = jobs.map((job) => presentJob(job, links));
        return toPage(presented, limit, (last) => writeCursor([last.job_id]));
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
  };
}

/**
 * The job after `Prefer: wait`. The job was accepted in any case, so an error here only leaves it out of the
 * answer.
 */
async function jobIfWaitedFor(
  deps: JobCallDeps,
  request: Pick<FastifyRequest, 'headers' | 'apiKey'>,
  reply: FastifyReply,
  jobId: string,
): Promise<PresentedJob | undefined> {
  const wait = preferredWait(request);
  if (wait === undefined) return undefined;
  const wanted = { accountId: request.apiKey.accountId, jobId };
  return honourWait(deps, reply, wanted, wait).then(
    (job) => presentJob(job, deps.links),
    () => undefined,
  );
}

async function honourWait(
  deps: JobCallDeps,
  reply: FastifyReply,
  wanted: { accountId: string; jobId: string },
  waitSeconds: number,
): Promise<Job> {
  const signal = AbortSignal.any([clientGone(reply), deps.closing]);
  const job = await waitForJob(deps, { ...wanted, waitMs: waitSeconds * 1000, signal });
  reply.header('preference-applied', `wait=${waitSeconds}`);
  return job;
}

const preferenceNote = '`wait=N` when the preference was honoured.';

// Not declared as a UUID: any other id is an unknown job, not an invalid request.
const jobParams = Type.Object({ job_id: Type.String() });

/** Parts of operation ids. Paths of the top tier have no prefix either. */
const operationNames: Record<ModelId, string> = { nb: 'Nb', nb2: 'Nb2', pro: '' };

const summaries = {
  text: 'Create an image from a prompt',
  url: 'Create an image from a prompt and images',
};

const idempotencyNote = `A fresh UUID per logical request; 1 to ${maxKeyLength} visible ASCII characters. The same key and body again give the same job, charged once, for at least 30 days.`;

function keyMistakes(request: Pick<FastifyRequest, 'headers'>): AppError[] {
  try {
    idempotencyKey(request);
    return [];
  } catch (error) {
    return [error as AppError]; // it throws nothing else
  }
}

/**
 * Replaces lone surrogates by U+FFFD, so that every store holds the same text, and removes NUL bytes before
 * the length is checked.
 */
function mendPrompt(body: unknown): void {
  if (typeof body !== 'object' || body === null || !('prompt' in body) || typeof body.prompt !== 'string')
    return;
  if (body.prompt.includes('\0') || !body.prompt.isWellFormed())
    body.prompt = body.prompt.replaceAll('\0', '').toWellFormed();
}
