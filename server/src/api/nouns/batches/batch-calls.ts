import { Readable } from 'node:stream';
import Type from 'typebox';
import { createBatch, fingerprintOfAll, maxRequests, quoteBatch } from '../../../admission/create-batch.ts';
import { judgeUrls } from '../../../admission/judge-urls.ts';
import { clientGone } from '../../../http/client-gone.ts';
import { idempotencyKey, keyPattern } from '../../../http/request-headers.ts';
import { closed, cursor, named, page, pageLimit } from '../../../http/schemas.ts';
import { writeResults, zipBatch } from '../../../jobs/batches/batch-results.ts';
import { cancelBatch } from '../../../jobs/batches/cancel-batch.ts';
import { getBatch, presentBatches } from '../../../jobs/batches/get-batch.ts';
import { statusOf } from '../../../jobs/batches/present-batch.ts';
import { formatMicros } from '../../../ledger/money.ts';
import { groupDigits } from '../../../std/group-digits.ts';
import { apiCall, apiPrefix } from '../../api-call.ts';
import type { JobCallDeps } from '../jobs/job-calls.ts';
import { batchQuoteSchema, dryRunQuery, presentBatchQuote } from '../jobs/quote-schemas.ts';
import { batchPage } from './batch-page.ts';
import { batchBodySchema, batchCreatedSchema, batchSchema } from './batch-schemas.ts';
import { assertRequestsType, requestsReader } from './parse-requests.ts';
import { readRequests } from './read-requests.ts';

const tag = 'Batches';
const defaultPageSize = 20;
const pollAgainSeconds = 5;
/** Ten thousand prompts of 1,600 characters. */
const maxBatchBytes = 16 * 1024 * 1024;

/** Many requests at once. */
export function batchCalls(deps: JobCallDeps) {
  return { create: createCall(deps), ...readCalls(deps) };
}

function createCall(deps: JobCallDeps) {
  return apiCall({
    tag,
    operationId: 'createBatch',
    summary: 'Create many images at once',
    description: `Up to ${groupDigits(maxRequests)} requests in 16 MB, as JSON or, with \`Content-Type: application/jsonl\`, one on each line. All are accepted, and the price of all is reserved, or none. Each is then a job of its own. With \`dry_run=true\` nothing is created or written: the answer says what they would cost, and whether they would be accepted.`,
    body: batchBodySchema,
    large: { maxBytes: maxBatchBytes, assertType: assertRequestsType, reader: requestsReader },
    headers: {
      'idempotency-key': {
        schema: { type: 'string', pattern: keyPattern },
        description:
          'A fresh UUID per batch. The same key and requests again give the same batch, charged once.',
      },
    },
    query: dryRunQuery,
    status: 202,
    reply: named(batchCreatedSchema),
    otherReplies: {
      200: {
        description: 'With `dry_run=true`: what a create would cost.',
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
      const { requests: given, callback_url: callbackUrl = null } = request.body;
      const { requests, fingerprints } = await readRequests(deps, request, given);
      const asked = {
        ...{ accountId, keyId, requestId: request.id, requests, callbackUrl },
        signal: () => clientGone(reply),
        idempotency: key === null ? null : { key, fingerprint: fingerprintOfAll(fingerprints, callbackUrl) },
      };
      if (request.query.dry_run === 'true') {
        reply.code(200);
        return presentBatchQuote(await quoteBatch(deps, asked));
      }
      const { batch, replayed } = await createBatch(deps, asked);
      const path = `${apiPrefix}/batches/${batch.id}`;
      reply.code(202).header('location', path).header('retry-after', pollAgainSeconds);
      if (replayed) reply.header('idempotent-replayed', 'true');
      const { jobs, priceMicros } = batch;
      const price = formatMicros(priceMicros);
      return { batch_id: batch.id, status: statusOf(batch), status_url: path, jobs, price };
    },
  });
}

const createErrors = [
  'overloaded',
  'model_forbidden',
  'unsupported_media_type',
  'body_too_large',
  'not_found',
  'idempotency_key_reused',
  'idempotency_key_in_use',
  'inputs_unusable',
  'storage_unavailable',
  'insufficient_funds',
  'spend_limit_reached',
  'open_jobs_limit_reached',
  'project_paused',
  'model_paused',
  'no_route',
] as const;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table of calls
function readCalls(deps: JobCallDeps) {
  const { database } = deps;
  return {
    list: apiCall({
      tag,
      operationId: 'listBatches',
      summary: 'List batches, newest first',
      description: 'Batches of the account, for as long as their jobs are kept.',
      query: closed({ cursor: Type.Optional(cursor()), limit: pageLimit(defaultPageSize) }),
      status: 200,
      reply: page('BatchList', named(batchSchema)),
      errors: [],
      async handle({ apiKey: { accountId }, query }) {
        return batchPage(deps, { accountId, ...query, limit: Number(query.limit ?? defaultPageSize) });
      },
    }),

    get: apiCall({
      tag,
      operationId: 'getBatch',
      summary: 'Read a batch',
      description: 'How far it is, and what it has cost so far.',
      params: batchParams,
      status: 200,
      reply: named(batchSchema),
      errors: ['not_found'],
      async handle({ apiKey: { accountId }, params }) {
        const batch = await getBatch(deps, { accountId, batchId: params.batch_id });
        const [presented] = await presentBatches(database, [batch]);
        return presented;
      },
    }),

    cancel: apiCall({
      tag,
      operationId: 'cancelBatch',
      summary: 'Cancel the rest of a batch',
      description:
        'Its jobs that are queued or processing fail with `error_code` `cancelled`, and their price is released; what is done stays. The answer comes at once: the batch is `cancelling` until all have ended, which takes half a minute for ten thousand, and none of them begins meanwhile. Once all have ended it changes nothing.',
      params: batchParams,
      status: 200,
      reply: named(batchSchema),
      errors: ['not_found', 'body_too_large'],
      async handle({ apiKey: { accountId }, params }) {
        const batch = await cancelBatch(deps, { accountId, batchId: params.batch_id });
        const [presented] = await presentBatches(database, [batch]);
        return presented;
      },
    }),

    results: apiCall({
      tag,
      operationId: 'getBatchResults',
      summary: 'Read the jobs of a batch',
      description:
        'JSON Lines, in the order of the requests: `{"index": 0, "job": {…}}`, where `index` counts from 0 and `job` is as `GET /jobs/{job_id}` gives it, whether it has ended or not. Jobs that were removed are left out.',
      params: batchParams,
      status: 200,
      replyType: 'application/jsonl',
      reply: Type.Unsafe<never>({}),
      errors: ['not_found'],
      async handle({ apiKey: { accountId }, params }, reply) {
        const { id } = await getBatch(deps, { accountId, batchId: params.batch_id });
        return reply
          .type('application/jsonl')
          .send(Readable.from(writeResults(deps, id), { objectMode: false }));
      },
    }),

    images: apiCall({
      tag,
      operationId: 'downloadBatchImages',
      summary: 'Download the images of a batch as one archive',
      description:
        'A zip of the images that there are now, made while it is read. The name of each begins with the place of its request, from 0; so they come in the order of the requests.',
      params: batchParams,
      status: 200,
      replyType: 'application/zip',
      reply: Type.Unsafe<never>({}),
      errors: ['not_found'],
      async handle({ apiKey: { accountId }, params }, reply) {
        const batch = await getBatch(deps, { accountId, batchId: params.batch_id });
        return reply
          .type('application/zip')
          .header('content-disposition', `attachment; filename="batch-${batch.id}.zip"`)
          .send(zipBatch(deps, batch));
      },
    }),
  };
}

// Not declared as a UUID: any other id is an unknown batch, not an invalid request.
const batchParams = Type.Object({ batch_id: Type.String() });
