import { isDeepStrictEqual } from 'node:util';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { clientGone } from '../../../../base/http/client-gone.ts';
import {
  idempotencyHeader,
  idempotencyKey,
  maxKeyLength,
  maxWaitSeconds,
  preferredWait,
} from '../../../../base/http/request-headers.ts';
import { named } from '../../../../base/http/schemas.ts';
import { AppError } from '../../../../errors.ts';
import { createJob } from '../../../../jobs/admission/create-job.ts';
import type { CreateRequest } from '../../../../jobs/admission/create-request.ts';
import { fingerprintOf } from '../../../../jobs/admission/fingerprint.ts';
import { judgeUrls } from '../../../../jobs/admission/judge-urls.ts';
import { type GivenImages, quoteJob } from '../../../../jobs/admission/quotes/quote-job.ts';
import { type PresentedJob, presentLiveJob } from '../../../../jobs/present-job.ts';
import { type Mode, type Model, modes } from '../../../../upstream/catalog/models.ts';
import { type ApiCall, type ApiRequest, type ApiRow, apiCall, apiPrefix } from '../../api-call.ts';
import { rootModel } from '../../named-model.ts';
import { honourWait, type JobCallDeps, preferenceNote, wantedBy } from './job-calls.ts';
import { type CreateBody, createBodySchema, createdSchema, nameOf, pascalCase } from './job-schemas.ts';
import { noteMade } from './note-made.ts';
import { dryRunQuery, presentQuote, quoteSchema } from './quote-schemas.ts';
import { bodyMistakes, bodySchemaOf, mendPrompt, readCreate } from './read-create.ts';

const pollAgainSeconds = 1;

export function createCall(deps: JobCallDeps, mode: Mode): ApiCall {
  return apiCall({
    ...described(mode),
    bodyOf: ({ model }) => bodySchemaOf(model, mode),
    prepare: mendPrompt,
    mistakes: (request) => [
      ...keyMistakes(request),
      ...tokenMistakes(request),
      ...bodyMistakes(request.body, { nowMs: deps.clock.nowMs(), mayRepeat: mayRepeat(request) }),
      ...judgeUrls(request.body, deps),
    ],
    async handle(request, reply) {
      const asked = askedBy(request, reply, { mode, nowMs: deps.clock.nowMs() });
      if (request.query.dry_run === 'true') return answerQuote(deps, request, reply, asked);
      const { jobId, replayed } = await createJob(deps, asked);
      const created = createdOf(deps, request, reply, { jobId, replayed });
      const job = await jobIfWaitedFor(deps, request, reply, jobId);
      return { ...(created instanceof Promise ? await created : created), ...(job && { job }) };
    },
  });
}

export async function answerQuote(
  deps: JobCallDeps,
  request: Pick<FastifyRequest, 'viewer'>,
  reply: FastifyReply,
  asked: CreateRequest,
  given?: GivenImages,
) {
  reply.code(200);
  const [quote, cost] = await Promise.all([
    quoteJob(deps, asked, given),
    costForOperators(deps, request, asked, given),
  ]);
  return presentQuote(quote, cost);
}

async function costForOperators(
  deps: Pick<JobCallDeps, 'expectedCost'>,
  { viewer }: Pick<FastifyRequest, 'viewer'>,
  { aspectRatio, ...asked }: CreateRequest,
  { inputs, mask }: GivenImages = { inputs: asked.inputUrls, mask: asked.mask },
): Promise<bigint | null | undefined> {
  if (!viewer?.operatorRole) return undefined;
  return deps.expectedCost({
    ...asked,
    ...{ inputs, mask, aspectRatio: aspectRatio === 'auto' ? null : aspectRatio },
  });
}

/** Returns a promise only if it writes an audit entry, which it does for people in the panel. */
export function createdOf(
  { database }: Pick<JobCallDeps, 'database'>,
  request: Pick<FastifyRequest, 'apiKey' | 'viewer' | 'jobId'>,
  reply: FastifyReply,
  { jobId, replayed }: { jobId: string; replayed: boolean },
): Created | Promise<Created> {
  request.jobId = jobId;
  const path = `${apiPrefix}/jobs/${jobId}`;
  reply.code(202).header('location', path).header('retry-after', pollAgainSeconds);
  if (replayed) reply.header('idempotent-replayed', 'true');
  const created: Created = { job_id: jobId, status: 'queued', status_url: path };
  if (!request.viewer) return created;
  const { accountId } = request.apiKey;
  const made = { action: 'job.created', accountId, subject: jobId, replayed } as const;
  return noteMade(database, made, request.viewer).then(() => created);
}

type Created = Static<typeof createdSchema>;

function askedBy(
  request: Pick<ApiRequest, 'apiKey' | 'id' | 'model' | 'body' | 'headers'>,
  reply: FastifyReply,
  { mode, nowMs }: { mode: Mode; nowMs: number },
): CreateRequest {
  const { apiKey, model } = request;
  const body = request.body as CreateBody; // as `bodyOf` declares it
  const key = idempotencyKey(request);
  const fingerprintUnder = (versionOf: (model: Model) => Model) =>
    fingerprintOf('POST', `${model.id} ${mode}`, body, versionOf(model));
  return {
    accountId: apiKey.accountId,
    keyId: apiKey.id,
    clientToken: apiKey.clientToken ?? null,
    requestId: request.id,
    mode,
    ...readCreate(body, model, nowMs),
    idempotency:
      key === null ? null : { key, fingerprint: fingerprintUnder((newest) => newest), fingerprintUnder },
    signal: () => clientGone(reply),
  };
}

/** Gives each model's calls their own paths, names and bodies in the OpenAPI document. */
export function createCallsOf(models: readonly Model[]): ApiRow[] {
  return models.flatMap((model) =>
    modes
      .filter((mode) => model.modes.includes(mode))
      .map((mode): ApiRow => {
        const name = model.id === rootModel ? '' : pascalCase(model.id);
        const prefix = model.id === rootModel ? '' : `/${model.id}`;
        const call = {
          ...described(mode),
          operationId: `create${name}${mode === 'text' ? 'Text' : 'Url'}Generation`,
          summary: `${summaries[mode]} (${model.name.toLowerCase()} model)`,
          body: bodyInDocument(model, mode, models),
          handle: () => Promise.reject(new Error('this call is for documents')),
        };
        return {
          method: 'POST',
          path: `${prefix}/${mode}-generations`,
          access: 'its model',
          right: null,
          call: apiCall(call),
        };
      }),
  );
}

/** Gives models whose bodies have the same name names of their own once an operator has changed one of them. */
function bodyInDocument(model: Model, mode: Mode, models: readonly Model[]) {
  const body = bodySchemaOf(model, mode);
  const isShared = models
    .filter((other) => nameOf(other) === nameOf(model) && other.modes.includes(mode))
    .every((other) => isDeepStrictEqual(bodySchemaOf(other, mode), body));
  return isShared ? body : createBodySchema(model, mode, pascalCase(model.id));
}

export function described(mode: Mode) {
  return {
    tag: 'Create',
    operationId: `create${mode}`,
    summary: summaries[mode],
    description: `The price is reserved now, captured when the job is done and released when it fails. With \`Prefer: wait=N\` the answer comes when the job is done or failed, or after N seconds (at most ${maxWaitSeconds}), with the job in its state then. With \`dry_run=true\` nothing is created, fetched or written: the answer has the price, and whether the create would be accepted.`,
    takesEscapes: true,
    headers: {
      ...idempotencyHeader(idempotencyNote),
      prefer: { schema: { type: 'string' }, description: '`wait=N`, seconds.' },
    },
    query: dryRunQuery,
    status: 202,
    idempotency: 'handled' as const,
    reply: named(createdSchema),
    otherReplies: {
      200: {
        description: 'The quote for `dry_run=true`.',
        schema: named(quoteSchema),
      },
    },
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
      'idempotency_key_reused',
      'idempotency_key_in_use',
      'prompt_refused',
      'insufficient_funds',
      'spend_limit_reached',
      'open_jobs_limit_reached',
      'input_limit_reached',
      'project_paused',
      'model_paused',
      'no_route',
      ...(mode === 'url' ? (['inputs_unusable', 'storage_unavailable'] as const) : []),
    ] as const,
  };
}

/** Returns the job after `Prefer: wait`. If an error occurs, the answer omits the job, which was accepted anyway. */
async function jobIfWaitedFor(
  deps: JobCallDeps,
  request: Pick<FastifyRequest, 'headers' | 'apiKey'>,
  reply: FastifyReply,
  jobId: string,
): Promise<PresentedJob | undefined> {
  const wait = preferredWait(request);
  if (wait === undefined) return undefined;
  return honourWait(deps, reply, wantedBy(request.apiKey, jobId), wait).then(
    (job) => presentLiveJob(job, deps),
    () => undefined,
  );
}

const summaries = {
  text: 'Create an image from a prompt',
  url: 'Create an image from a prompt and images',
};

const idempotencyNote = `A fresh UUID per logical request; 1 to ${maxKeyLength} visible ASCII characters. The same key and body again give the same job, charged once, for at least 30 days unless the operator chooses fewer.`;

/** Whether the request may repeat an earlier one, whose job it then gets. */
export function mayRepeat({ headers, query }: Pick<FastifyRequest, 'headers' | 'query'>): boolean {
  return headers['idempotency-key'] !== undefined && Object(query).dry_run !== 'true';
}

function keyMistakes(request: Pick<FastifyRequest, 'headers'>): AppError[] {
  try {
    idempotencyKey(request);
    return [];
  } catch (error) {
    return [error as AppError]; // it throws only AppError
  }
}

/** Refuses a callback URL from a client token, whose holder must not get messages with the account's signature. */
function tokenMistakes({ apiKey, body }: Pick<FastifyRequest, 'apiKey' | 'body'>): AppError[] {
  const { callback_url: url } = Object(body) as Partial<CreateBody>; // may run before the body is validated
  if (!apiKey.clientToken || typeof url !== 'string') return [];
  const detail = 'is not allowed with a client token; events go to the webhook of the account.';
  const errors = [{ pointer: '/callback_url', detail }];
  return [new AppError('invalid_request', `/callback_url ${detail}`, { errors })];
}
