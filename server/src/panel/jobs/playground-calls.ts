import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import { metadataSchema, originSchema } from '../../api/nouns/jobs/job-schemas.ts';
import { noteJobs } from '../../api/nouns/jobs/note-jobs.ts';
import { modelIdPattern } from '../../catalog/definition-schema.ts';
import { maxPromptLength, modes } from '../../catalog/models.ts';
import { maxUrlLength } from '../../guard/check-url.ts';
import { clientGone } from '../../http/client-gone.ts';
import { closed, oneOf, urlPattern } from '../../http/schemas.ts';
import { maxInputs } from '../../inputs/limits.ts';
import { maxTargetLength } from '../../webhooks/webhook-target.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import { createPanelJob, type From } from './create-panel-job.ts';
import { estimateJob } from './estimate-job.ts';

const text = Type.String({ minLength: 1, maxLength: 300 });
const url = Type.String({ pattern: urlPattern, maxLength: maxUrlLength });
const model = Type.String({ pattern: modelIdPattern });
const inputIndex = Type.Integer({ minimum: 0, maximum: maxInputs - 1 });
/** Together with the first. */
const maxJobs = 8;
const variant = {
  model,
  resolution: Type.Optional(text),
  parameters: Type.Optional(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
  ),
};
const newJob = closed({
  ...variant,
  more: Type.Optional(Type.Array(closed(variant), { maxItems: maxJobs - 1 })),
  prompt: Type.String({ minLength: 1, maxLength: maxPromptLength }),
  aspect_ratio: text,
  metadata: Type.Optional(metadataSchema),
  origin: Type.Optional(originSchema),
  inputs: Type.Optional(
    Type.Array(Type.Union([closed({ url }), closed({ job_id: text, input: Type.Optional(inputIndex) })]), {
      maxItems: maxInputs,
    }),
  ),
  callback_url: Type.Optional(Type.Union([Type.String({ maxLength: maxTargetLength }), Type.Null()])),
});

/** Calls that create and cancel jobs. */
export function playgroundCalls(deps: PanelDeps): PanelCall[] {
  const { database } = deps;
  return [
    panelCall('GET /panel/accounts/:account_id/estimate', {
      query: closed({
        model,
        resolution: Type.Optional(text),
        count: Type.Optional(Type.String({ pattern: '^[1-8]$' })),
        mode: Type.Optional(oneOf(modes)),
        aspect_ratio: Type.Optional(text),
      }),
      handle: ({ params, query, reply }) =>
        estimateJob(deps, readFrom(params.account_id, null, reply), query),
    }),

    panelCall('POST /panel/accounts/:account_id/jobs', {
      idempotency: 'handled',
      body: newJob,
      async handle({ params, body, viewer, idempotencyKey, reply }) {
        const from = readFrom(params.account_id, idempotencyKey, reply);
        const made = await createPanelJob(deps, from, body);
        const { accountId } = from;
        await noteJobs(database, { accountId, jobIds: made.job_ids, replayed: made.replayed }, viewer);
        return made;
      },
    }),
  ];
}

function readFrom(accountId: string, idempotencyKey: string | null, reply: FastifyReply): From {
  return { accountId, idempotencyKey, signal: clientGone(reply), requestId: reply.request.id };
}
