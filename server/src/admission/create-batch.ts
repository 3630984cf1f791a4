import { createHash } from 'node:crypto';
import { sizingOf } from '../catalog/models.ts';
import { AppError } from '../errors.ts';
import { type Batch, findBatch, findBatchOf } from '../jobs/batches/batch-store.ts';
import { newId } from '../std/ids.ts';
import { type CreateDeps, jobsOf } from './create-job.ts';
import type { CreateRequest } from './create-request.ts';
import { refusalError } from './refuse-create.ts';

/** Of every admission this is one transaction, during which no other create of the database is admitted on SQLite. */
export const maxRequests = 10_000;

/** A validated request of a batch. */
export type BatchedRequest = Omit<
  CreateRequest,
  'accountId' | 'keyId' | 'clientToken' | 'requestId' | 'mode' | 'inputUrls' | 'idempotency' | 'signal'
>;

export interface BatchRequest {
  accountId: string;
  keyId: string;
  requestId: string;
  requests: readonly BatchedRequest[];
  /** Where its end is told, instead of the account's endpoints. */
  callbackUrl: string | null;
  idempotency: CreateRequest['idempotency'];
}

/**
 * Accepts many requests from text in one transaction, like those of one create: all or none.
 *
 * @throws AppError as `createJob`, but nothing about inputs; `not_found` when the batch of this key was removed
 * @throws Overloaded
 */
export async function createBatch(
  { clock, admit, database }: Pick<CreateDeps, 'clock' | 'admit' | 'database'>,
  { requests, callbackUrl, idempotency, ...asker }: BatchRequest,
): Promise<{ batch: Batch; replayed: boolean }> {
  const { accountId } = asker;
  const id = newId(clock.nowMs());
  const jobs = requests.flatMap((request) => {
    const { priceMicros } = sizingOf(request.model, request.resolution);
    const priced = {
      ...request,
      mode: 'text' as const,
      variants: [{ ...request, priceMicros }],
      priceMicros,
    };
    return jobsOf(priced, [{ id: newId(clock.nowMs()), inputs: [] }], () => null);
  });
  const admission = await admit({
    asker: { ...asker, clientTokenId: null },
    jobs,
    inputBytes: 0,
    idempotency: idempotency && { ...idempotency, holder: null },
    batch: { id, callbackUrl },
  });
  if (admission.kind !== 'admitted' && admission.kind !== 'replayed') {
    const priceMicros = jobs.reduce((sum, job) => sum + job.priceMicros, 0n);
    throw refusalError(admission, { priceMicros, count: jobs.length, nowMs: clock.nowMs() });
  }
  const replayed = admission.kind === 'replayed';
  const [first = ''] = admission.jobIds;
  const batch = await (replayed
    ? findBatchOf(database.read, first)
    : findBatch(database.read, { accountId, id }));
  if (!batch) throw new AppError('not_found', 'The batch of this Idempotency-Key has been removed since.');
  return { batch, replayed };
}

/** Of a batch: the same requests in the same order, and the same address for its end. */
export function fingerprintOfAll(fingerprints: readonly string[], callbackUrl: string | null): string {
  const hash = createHash('sha256').update('POST batches');
  if (callbackUrl !== null) hash.update(` ${callbackUrl}`);
  for (const one of fingerprints) hash.update(`\n${one}`);
  return hash.digest('hex');
}
