import type { FastifyInstance } from 'fastify';
import { clientGone } from '../../../../base/http/client-gone.ts';
import { acceptJsonOnly, maxEscapedBytes } from '../../../../base/http/json-body.ts';
import { idempotencyKey } from '../../../../base/http/request-headers.ts';
import { AppError } from '../../../../errors.ts';
import { createBatch, findMadeBatch } from '../../../../jobs/admission/create-batch.ts';
import { fingerprintOf } from '../../../../jobs/admission/fingerprint.ts';
import { cleanMetadata, metadataMistake } from '../../../../jobs/admission/metadata.ts';
import { readFile } from '../../../../jobs/batch-files/keep-file.ts';
import { listBatches } from '../../../../jobs/batches/batch-store.ts';
import { cancelBatch } from '../../../../jobs/batches/cancel-batch.ts';
import type { DoorDeps } from '../../door-deps.ts';
import { wrongField } from '../../door-errors.ts';
import { asFields, type Fields, oneOf, take, takeText } from '../fields.ts';
import { findBatchNamed, withSources } from './find-batch.ts';
import { parseBatchName, parseFileName } from './ids.ts';
import { presentPage, readPage } from './pages.ts';
import { presentBatch } from './present-batch.ts';
import { batchedCalls, takeRequests } from './take-requests.ts';

const dayMs = 24 * 60 * 60_000;

export function registerBatchCalls(scope: FastifyInstance, deps: DoorDeps): void {
  scope.post('/batches', { bodyLimit: maxEscapedBytes }, async (request, reply) => {
    const { apiKey: key, id: requestId } = request;
    const { accountId, id: keyId } = key;
    const { call, fileId, fileName, metadata } = readNewBatch(request.body);
    const source = { fileId, call, metadata };
    const sentKey = idempotencyKey(request);
    const idempotency = {
      // A file becomes one batch, even if the request is repeated. A second batch needs another `Idempotency-Key`.
      key: sentKey ?? fileName,
      fingerprint: fingerprintOf('POST', 'openai batches', { fileName, call, metadata }),
    };
    // Found without the file, which may have been deleted since.
    const made = await findMadeBatch(deps, { accountId, ...idempotency });
    if (made) {
      reply.header('idempotent-replayed', 'true');
      return presentBatch({ batch: made, source });
    }
    const content = await readFile(deps, { accountId, id: fileId });
    const signal = () => clientGone(reply);
    await using taken = await takeRequests(deps, { key, call, content, signal });
    const deadlineAt = deps.clock.nowMs() + dayMs;
    const { batch, replayed } = await createBatch(deps, {
      ...{ accountId, keyId, requestId, signal, name: null, callbackUrl: null },
      requests: taken.requests.map((one) => ({ ...one, deadlineAt })),
      source: { ...source, answers: taken.answers },
      idempotency,
    }).catch((error: unknown) => {
      throw sentKey === null ? aboutFile(atLines(error, taken.lines)) : atLines(error, taken.lines);
    });
    if (replayed) reply.header('idempotent-replayed', 'true');
    return presentBatch({ batch, source });
  });

  scope.get<{ Querystring: Fields }>('/batches', async ({ apiKey: { accountId }, query }) => {
    const { limit, after } = readPage(query);
    const before = after === undefined ? undefined : parseBatchName(after);
    const of = { accountId, before, limit: limit + 1, asFiles: true };
    const found = await withSources(deps, await listBatches(deps.database.reports, of));
    return presentPage(found.map(presentBatch), limit);
  });

  scope.get<{ Params: { batch: string } }>('/batches/:batch', async ({ apiKey, params: { batch: name } }) =>
    presentBatch(await findBatchNamed(deps, apiKey, name)),
  );

  scope.register(async (bodiless) => {
    acceptJsonOnly(bodiless);
    bodiless.post<{ Params: { batch: string } }>(
      '/batches/:batch/cancel',
      async ({ apiKey, params: { batch: name } }) => {
        const { batch, source } = await findBatchNamed(deps, apiKey, name);
        const { accountId } = apiKey;
        return presentBatch({ batch: await cancelBatch(deps, { accountId, batchId: batch.id }), source });
      },
    );
  });
}

/** Rewrites errors about a request to name it by its line, because blank lines are not requests. */
function atLines(error: unknown, lines: readonly number[]): unknown {
  if (!(error instanceof AppError) || !error.details.errors) return error;
  const moved = (text: string) =>
    text.replace(/^\/requests\/(\d+)/, (_, index) => `/requests/${(lines[Number(index)] ?? 1) - 1}`);
  const errors = error.details.errors.map((one) => ({ ...one, pointer: moved(one.pointer) }));
  return new AppError(error.code, moved(error.message), { ...error.details, errors }, { cause: error });
}

/** Rewrites errors about the idempotency key, because the client knows only the file from which the key is derived. */
function aboutFile(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const { code, details } = error;
  if (code === 'idempotency_key_reused') return wrongField('/input_file_id', otherBatch);
  return code === 'idempotency_key_in_use' ? new AppError(code, stillCreated, details) : error;
}

const otherBatch =
  'This file is already a batch of another endpoint or metadata. To make another batch of it, send an Idempotency-Key.';
const stillCreated = 'The batch of this file is still being created. Send the request again shortly.';

function readNewBatch(body: unknown) {
  const fields = asFields(body);
  const fileName = takeText(fields, 'input_file_id', 100) ?? missing('input_file_id');
  const call = oneOf(fields, 'endpoint', batchedCalls) ?? missing('endpoint');
  oneOf(fields, 'completion_window', ['24h']) ?? missing('completion_window');
  const metadata = take(fields, 'metadata') ?? {};
  const mistake = metadataMistake(metadata);
  if (mistake) throw wrongField('/metadata', `metadata ${mistake}`);
  for (const name of Object.keys(fields))
    if (take(fields, name) !== undefined)
      throw wrongField(`/${name.slice(0, 100)}`, `${name.slice(0, 100)} cannot be honoured: leave it out.`);
  const file = parseFileName(fileName);
  if (!file || file.part) throw wrongField('/input_file_id', 'There is no such file with the purpose batch.');
  const pairs = cleanMetadata(metadata as Record<string, string>); // it has no mistake
  return { call, fileId: file.id, fileName, metadata: pairs };
}

function missing(field: string): never {
  throw wrongField(`/${field}`, `Send ${field}.`);
}
