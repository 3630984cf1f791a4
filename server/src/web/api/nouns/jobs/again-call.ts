import { assertMayUse } from '../../../../accounts/authenticate.ts';
import { clientGone } from '../../../../base/http/client-gone.ts';
import { idempotencyKey } from '../../../../base/http/request-headers.ts';
import { repeatJob } from '../../../../jobs/admission/repeat/repeat-job.ts';
import { type ApiCall, apiCall } from '../../api-call.ts';
import { createdOf, described } from './create-calls.ts';
import type { JobCallDeps } from './job-calls.ts';
import { jobParams } from './job-params.ts';

/** `POST /jobs/{job_id}/again` */
export function againCall(deps: JobCallDeps): ApiCall {
  const { headers, replyHeaders, ...create } = described('url');
  const { prefer: _, ...ownHeaders } = headers;
  const { 'preference-applied': __, ...ownReplyHeaders } = replyHeaders;
  return apiCall({
    tag: 'Jobs',
    operationId: 'repeatJob',
    summary: 'Make another image by the request of a job',
    description: 'Repeats it with the same prompt, parameters and input images, at the current price.',
    params: jobParams,
    headers: ownHeaders,
    replyHeaders: ownReplyHeaders,
    status: 202,
    idempotency: 'handled',
    reply: create.reply,
    errors: [...create.errors, 'unsupported_media_type', 'body_too_large', 'not_found', 'image_gone'],
    async handle(request, reply) {
      const { apiKey, params } = request;
      const made = await repeatJob(
        deps,
        {
          ...{ accountId: apiKey.accountId, keyId: apiKey.id, requestId: request.id },
          clientToken: null,
          signal: () => clientGone(reply),
        },
        {
          jobId: params.job_id,
          idempotencyKey: idempotencyKey(request),
          assertMayUse: ({ id }) => assertMayUse(apiKey, id),
        },
      );
      return createdOf(deps, request, reply, made);
    },
  });
}
