import { assertMayUse } from '../../../../accounts/authenticate.ts';
import { clientGone } from '../../../../base/http/client-gone.ts';
import { idempotencyKey } from '../../../../base/http/request-headers.ts';
import { createJob } from '../../../../jobs/admission/create-job.ts';
import { type RepetitionDeps, readRepetition } from '../../../../jobs/admission/repeat/read-repetition.ts';
import { takeStoredInputs } from '../../../../jobs/admission/repeat/take-stored-inputs.ts';
import { type ApiCall, apiCall } from '../../api-call.ts';
import { answerQuote, createdOf, described } from './create-calls.ts';
import type { JobCallDeps } from './job-calls.ts';
import { jobParams } from './job-params.ts';

export function againCall(deps: JobCallDeps & RepetitionDeps): ApiCall {
  const { headers, replyHeaders, ...create } = described('url');
  const { prefer: _, ...ownHeaders } = headers;
  const { 'preference-applied': __, ...ownReplyHeaders } = replyHeaders;
  return apiCall({
    tag: 'Jobs',
    operationId: 'repeatJob',
    summary: 'Make another image from the request of a job',
    description:
      'Repeats the request with the same prompt, parameters and input images, at the current price. With `dry_run=true` nothing is created or written: the answer is a quote, like that of a create.',
    params: jobParams,
    headers: ownHeaders,
    query: create.query,
    replyHeaders: ownReplyHeaders,
    status: 202,
    idempotency: 'handled',
    reply: create.reply,
    otherReplies: create.otherReplies,
    errors: [...create.errors, 'unsupported_media_type', 'body_too_large', 'not_found', 'image_gone'],
    async handle(request, reply) {
      const { apiKey, params } = request;
      const isQuote = request.query.dry_run === 'true';
      const repetition = await readRepetition(
        deps,
        {
          ...{ accountId: apiKey.accountId, keyId: apiKey.id, requestId: request.id },
          clientToken: null,
          signal: () => clientGone(reply),
        },
        {
          jobId: params.job_id,
          idempotencyKey: isQuote ? null : idempotencyKey(request),
          assertMayUse: ({ id }) => assertMayUse(apiKey, id),
        },
      );
      const { madeJobId } = repetition;
      if (madeJobId !== null) return createdOf(deps, request, reply, { jobId: madeJobId, replayed: true });
      const { request: asked, stored } = repetition;
      if (isQuote) return answerQuote(deps, request, reply, asked, stored);
      const made = await createJob({ ...deps, takeInputs: takeStoredInputs(deps, stored) }, asked);
      return createdOf(deps, request, reply, made);
    },
  });
}
