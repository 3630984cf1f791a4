import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import { maxPromptLength, metadataSchema, originSchema } from '../../api/nouns/jobs/job-schemas.ts';
import { type Actor, insertAuditEntry, insertAuditEntryIfNew } from '../../audit/audit-store.ts';
import { modelIdPattern } from '../../catalog/definition-schema.ts';
import { modes } from '../../catalog/models.ts';
import { maxUrlLength } from '../../guard/check-url.ts';
import { clientGone } from '../../http/client-gone.ts';
import { closed, oneOf, urlPattern } from '../../http/schemas.ts';
import { maxInputs } from '../../inputs/limits.ts';
import { maxTargetLength } from '../../webhooks/webhook-target.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';
import { createPanelJob, type From, runJobAgain } from './create-panel-job.ts';
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
        await noteJobs(from.accountId, made, viewer);
        return made;
      },
    }),

    panelCall('POST /panel/accounts/:account_id/jobs/:job_id/again', {
      idempotency: 'handled',
      async handle({ params, viewer, idempotencyKey, reply }) {
        const from = readFrom(params.account_id, idempotencyKey, reply);
        const made = await runJobAgain(deps, from, params.job_id);
        await noteJobs(from.accountId, made, viewer);
        return made;
      },
    }),
  ];

  /**
   * Jobs are admitted in batches, so the audit entry with the person is written right after the transaction.
   * If that fails, the client's retry of the request writes it.
   */
  async function noteJobs(
    accountId: string,
    { job_ids: subjects, replayed }: { job_ids: readonly string[]; replayed: boolean },
    by: Actor,
  ): Promise<void> {
    const insert = replayed ? insertAuditEntryIfNew : insertAuditEntry;
    await database.transaction(async (tx) => {
      for (const subject of subjects)
        await insert(tx, by, { action: 'job.created', accountId, subject, detail: {} });
    });
  }
}

function readFrom(accountId: string, idempotencyKey: string | null, reply: FastifyReply): From {
  return { accountId, idempotencyKey, signal: clientGone(reply), requestId: reply.request.id };
}
