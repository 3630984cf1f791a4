import { createHash } from 'node:crypto';
import { newId } from '../../base/std/ids.ts';
import { breathe, mapInTurns } from '../../base/std/lateness/turns.ts';
import { AppError } from '../../errors.ts';
import { type Model, nearestRatio } from '../../upstream/catalog/models.ts';
import type { BatchSource } from '../batches/batch-source-store.ts';
import { type Batch, findBatch, findBatchOf } from '../batches/batch-store.ts';
import { checkPrompts, needsCheck } from './check-prompts.ts';
import { type CreateDeps, jobsOf } from './create-job.ts';
import type { CreateRequest, Payable, PricedRequest } from './create-request.ts';
import { findLate } from './deadline.ts';
import type { Admission, Unserved } from './decide-admissions.ts';
import { findUnserved, findUnservedJob, type ServingDeps } from './find-unserved.ts';
import { findKeyRecords } from './idempotency-store.ts';
import { findForeign, findInputOrigin } from './origin.ts';
import { findBadLinks, type LinkDeps } from './quotes/find-bad-links.ts';
import { findReasons, type ReasonDeps } from './quotes/find-reasons.ts';
import { type PricingDeps, priceVariants } from './quotes/price-variants.ts';
import { refuseRequest } from './refusal-error.ts';
import { admitOrReplay } from './repeat/admit-or-replay.ts';
import { type Taken, takeAndAdmit } from './take-and-admit.ts';
import { takeBatchInputs } from './take-batch-inputs.ts';
import type { Admittee } from './write-admissions.ts';

/** The maximum number of requests in a batch. While SQLite admits a batch, it admits no other create. */
export const maxRequests = 10_000;

export type BatchedRequest = Omit<
  CreateRequest,
  'accountId' | 'keyId' | 'clientToken' | 'requestId' | 'idempotency' | 'unanswered' | 'signal'
>;

export interface BatchRequest {
  accountId: string;
  keyId: string;
  requestId: string;
  name: string | null;
  requests: readonly BatchedRequest[];
  /** The URL that receives the event when the batch ends; if null, the account's endpoints receive it. */
  callbackUrl: string | null;
  source?: BatchSource;
  idempotency: CreateRequest['idempotency'];
  signal: CreateRequest['signal'];
}

/** Accepts all requests or none. @throws as `createJob`; AppError `not_found` when the batch of this key was removed */
export async function createBatch(
  deps: CreateDeps,
  request: BatchRequest,
): Promise<{ batch: Batch; replayed: boolean }> {
  const { clock, database } = deps;
  const { accountId, name, callbackUrl, source, requests } = request;
  const id = newId(clock.nowMs());
  const priced = await priceBatch(deps, request);
  const { priceMicros } = priced;
  const hasInputs = requests.some(({ inputUrls }) => inputUrls.length > 0);
  const isDecidedAtOnce = !hasInputs && !needsCheck(deps, request);
  const admission = await admitOrReplay(deps, priced, (asked) =>
    (isDecidedAtOnce ? admitAtOnce : admitAfterChecks)(deps, asked, {
      id,
      name,
      callbackUrl,
      ...(source && { source }),
    }),
  );
  if (admission.kind !== 'admitted' && admission.kind !== 'replayed')
    return refuseRequest(deps, admission, {
      asker: request,
      priceMicros,
      count: requests.length,
      nowMs: clock.nowMs(),
    });
  const replayed = admission.kind === 'replayed';
  const [first = ''] = admission.jobIds;
  const batch = await (replayed
    ? findBatchOf(database.read, first)
    : findBatch(database.read, { accountId, id }));
  if (!batch) throw new AppError('not_found', 'The batch of this Idempotency-Key has been removed since.');
  return { batch, replayed };
}

/** Finds the batch that an earlier request with this key and content made. */
export async function findMadeBatch(
  { database }: Pick<CreateDeps, 'database'>,
  { accountId, key, fingerprint }: { accountId: string; key: string; fingerprint: string },
): Promise<Batch | undefined> {
  const [record] = await findKeyRecords(database.read, [{ accountId, key }]);
  if (!record?.jobId || record.fingerprint !== fingerprint) return undefined;
  return findBatchOf(database.read, record.jobId);
}

/** Prices a batch, and decides whether it would be accepted. Writes and fetches nothing. */
export async function quoteBatch(
  deps: ReasonDeps & PricingDeps & LinkDeps,
  request: BatchRequest,
): Promise<BatchQuote> {
  const asked = await priceBatch(deps, request);
  const { priceMicros } = asked;
  const reasons = await findReasons(
    deps,
    payableOf({ ...asked, idempotency: null }),
    request.requests.map(({ prompt }) => prompt),
  );
  reasons.push(...(await findFirstBadLinks(deps, request)));
  return { prices: asked.requests.map((one) => one.priceMicros), priceMicros, reasons };
}

/** Finds the links of the first request that a create would refuse, because it would refuse the batch. */
async function findFirstBadLinks(
  deps: LinkDeps,
  { accountId, requests }: Pick<BatchRequest, 'accountId' | 'requests'>,
): Promise<AppError[]> {
  for (const one of requests) {
    await breathe();
    const found = await findBadLinks(deps, { ...one, accountId });
    if (found.length > 0) return found;
  }
  return [];
}

export interface BatchQuote {
  prices: bigint[];
  priceMicros: bigint;
  reasons: AppError[];
}

async function priceBatch(deps: ServingDeps & PricingDeps, request: BatchRequest): Promise<AskedBatch> {
  // The prices are read once, because they may change between two turns of the event loop.
  const priceOf = deps.prices.of(request.accountId);
  const prices = { of: () => priceOf };
  let unserved: AskedBatch['unserved'] = null;
  const requests = await mapInTurns(request.requests, (one, index): PricedOfBatch => {
    const priced = priceVariants({ prices }, request.accountId, [one]);
    const place = placeOf(index);
    unserved ??= findForeign(one, place) ?? findLate(one, place) ?? findUnserved(deps, one, [one], place);
    return { ...one, ...priced };
  });
  const priceMicros = requests.reduce((sum, one) => sum + one.priceMicros, 0n);
  return { ...request, requests, priceMicros, unserved };
}

function placeOf(index: number): string {
  return `/requests/${index}`;
}

function payableOf(asked: AskedBatch): Payable {
  const { requests } = asked;
  return {
    ...asked,
    clientToken: null,
    variants: requests,
    inputUrls: requests.flatMap(({ inputUrls }) => inputUrls),
  };
}

type PricedOfBatch = BatchedRequest & Pick<PricedRequest, 'variants' | 'priceMicros'>;
type AskedBatch = Omit<BatchRequest, 'requests'> & {
  requests: readonly PricedOfBatch[];
  priceMicros: bigint;
  unserved: Unserved | null;
};

async function admitAtOnce(
  { clock, admit }: CreateDeps,
  { requests, idempotency, unserved, accountId, keyId, requestId }: AskedBatch,
  batch: Admittee['batch'],
): Promise<Admission> {
  const jobs = await mapInTurns(requests, (one) =>
    jobsOf(one, [{ id: newId(clock.nowMs()), inputs: [], mask: null }], () => null),
  );
  return admit({
    asker: { accountId, keyId, requestId, clientTokenId: null },
    jobs: jobs.flat(),
    inputBytes: 0,
    unserved,
    idempotency: idempotency && { ...idempotency, holder: null },
    ...(batch && { batch }),
  });
}

function admitAfterChecks(deps: CreateDeps, asked: AskedBatch, batch: Admittee['batch']): Promise<Admission> {
  const { accountId, requests } = asked;
  const take = async (jobIds: readonly string[], signal: AbortSignal): Promise<Taken> => {
    const taken = await takeBatchInputs(deps, { accountId, requests, jobIds, signal });
    await using stack = new AsyncDisposableStack();
    stack.defer(() => taken.discard());
    const inputsOf = (index: number) => taken.byRequest.get(index)?.inputs ?? [];
    const prompts = await checkPrompts(
      deps,
      asked,
      requests.map((one, index) => ({
        ...{ prompt: one.prompt, inputs: inputsOf(index), model: one.model.id },
        pointer: `${placeOf(index)}/body/prompt`,
      })),
      signal,
    );
    const jobs: Admittee['jobs'][number][] = [];
    let unserved: Unserved | null = null;
    for (const [index, one] of requests.entries()) {
      await breathe();
      const first = taken.byRequest.get(index)?.first;
      const origin = one.origin ?? (await findInputOrigin(deps, accountId, one.inputUrls));
      const ratioOf = (model: Model) => (first ? nearestRatio(model, first) : null);
      const mask = taken.byRequest.get(index)?.mask ?? null;
      const job = { id: jobIds[index] ?? '', inputs: inputsOf(index), mask };
      const own = jobsOf({ ...one, prompt: prompts[index] ?? one.prompt, origin }, [job], ratioOf);
      unserved ??= findUnservedJob(deps, own, [one], placeOf(index));
      jobs.push(...own);
    }
    stack.move();
    return { jobs, inputBytes: taken.fetchedBytes, unserved, discard: taken.discard };
  };
  return takeAndAdmit(deps, payableOf(asked), take, batch);
}

export function fingerprintOfAll(
  fingerprints: readonly string[],
  { name, callbackUrl }: Pick<BatchRequest, 'name' | 'callbackUrl'>,
): string {
  const hash = createHash('sha256').update('POST batches');
  if (callbackUrl !== null) hash.update(` ${callbackUrl}`);
  if (name !== null) hash.update(` ${JSON.stringify(name)}`);
  for (const one of fingerprints) hash.update(`\n${one}`);
  return hash.digest('hex');
}
