import Type from 'typebox';
import { clientGone } from '../../../../base/http/client-gone.ts';
import { idempotencyHeader, idempotencyKey } from '../../../../base/http/request-headers.ts';
import { named } from '../../../../base/http/schemas.ts';
import { groupDigits } from '../../../../base/std/group-digits.ts';
import {
  createBatch,
  fingerprintOfAll,
  maxRequests,
  quoteBatch,
} from '../../../../jobs/admission/create-batch.ts';
import { judgeUrls } from '../../../../jobs/admission/judge-urls.ts';
import { statusOf } from '../../../../jobs/batches/present-batch.ts';
import { formatMicros } from '../../../../money/ledger/money.ts';
import type { Model } from '../../../../upstream/catalog/models.ts';
import { apiCall, apiPrefix } from '../../api-call.ts';
import type { JobCallDeps } from '../jobs/job-calls.ts';
import { noteMade } from '../jobs/note-made.ts';
import { batchQuoteSchema, dryRunQuery, presentBatchQuote } from '../jobs/quote-schemas.ts';
import { batchBodySchema, batchCreatedSchema } from './batch-schemas.ts';
import { fingerprintsOf, readRequests } from './read-requests.ts';
import { assertRequestsType, requestsReader } from './requests-body.ts';

const tag = 'Batches';
const pollAgainSeconds = 5;
/** The maximum size of a batch, enough for ten thousand prompts of 1,600 characters. */
const maxBatchBytes = 16 * 1024 * 1024;

// The id is not declared as a UUID, so that any other text is answered as an unknown batch, not as an invalid request.
export const batchParams = Type.Object({ batch_id: Type.String() });

export function createBatchCall(deps: JobCallDeps) {
  return apiCall({
    tag,
    operationId: 'createBatch',
    summary: 'Create many images at once',
    description: `Up to ${groupDigits(maxRequests)} requests in 16 MB, as JSON or, with \`Content-Type: application/jsonl\`, one on each line. Either all are accepted, and the price of all is reserved, or none. Each becomes a separate job. With \`dry_run=true\` nothing is created or written: the answer has the price, and whether the batch would be accepted.`,
    body: batchBodySchema,
    large: { maxBytes: maxBatchBytes, assertType: assertRequestsType, reader: requestsReader },
    headers: idempotencyHeader(
      'A fresh UUID per batch. The same key and requests again give the same batch, charged once.',
    ),
    query: dryRunQuery,
    status: 202,
    idempotency: 'handled',
    reply: named(batchCreatedSchema),
    otherReplies: {
      200: {
        description: 'The quote for `dry_run=true`.',
        schema: named(batchQuoteSchema),
      },
    },
    replyHeaders: {
      location: 'The path of the batch.',
      'retry-after': 'Seconds to wait before polling.',
      'idempotent-replayed':
        '`true` when the batch was created by an earlier request with the same Idempotency-Key.',
    },
    errors: createErrors,
    mistakes: ({ body }) => judgeUrls(body, deps),
    async handle(request, reply) {
      const { accountId, id: keyId } = request.apiKey;
      const key = idempotencyKey(request);
      const { requests: given, name = null, callback_url: callbackUrl = null } = request.body;
      const read = await readRequests(deps, request, given);
      const { requests } = read;
      const fingerprintUnder = async (versionOf: (model: Model) => Model) =>
        fingerprintOfAll(await fingerprintsOf(read, versionOf), { name, callbackUrl });
      const asked = {
        ...{ accountId, keyId, requestId: request.id, name, requests, callbackUrl },
        signal: () => clientGone(reply),
        idempotency:
          key === null
            ? null
            : { key, fingerprint: await fingerprintUnder((newest) => newest), fingerprintUnder },
      };
      if (request.query.dry_run === 'true') {
        reply.code(200);
        return presentBatchQuote(await quoteBatch(deps, asked));
      }
      const { batch, replayed } = await createBatch(deps, asked);
      const path = `${apiPrefix}/batches/${batch.id}`;
      reply.code(202).header('location', path).header('retry-after', pollAgainSeconds);
      if (replayed) reply.header('idempotent-replayed', 'true');
      const made = { action: 'batch.created', accountId, subject: batch.id, replayed } as const;
      if (request.viewer) await noteMade(deps.database, made, request.viewer);
      const { jobs, priceMicros } = batch;
      const price = formatMicros(priceMicros);
      return { batch_id: batch.id, status: statusOf(batch), status_url: path, jobs, price };
    },
  });
}

const createErrors = [
  'overloaded',
  'model_forbidden',
  'not_found',
  'idempotency_key_reused',
  'idempotency_key_in_use',
  'inputs_unusable',
  'storage_unavailable',
  'prompt_refused',
  'insufficient_funds',
  'spend_limit_reached',
  'open_jobs_limit_reached',
  'project_paused',
  'model_paused',
  'no_route',
] as const;
