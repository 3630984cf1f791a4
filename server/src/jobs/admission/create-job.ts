import { newId } from '../../base/std/ids.ts';
import type { Log } from '../../base/std/log.ts';
import { type AspectRatio, type Model, nearestRatio } from '../../upstream/catalog/models.ts';
import type { JobOptions } from '../job.ts';
import { checkPrompts, needsCheck, type PromptChecks } from './check-prompts.ts';
import type { CreateRequest, PricedRequest, Variant } from './create-request.ts';
import { findLate } from './deadline.ts';
import { type Admission, keyOfToken } from './decide-admissions.ts';
import { findUnserved, findUnservedJob, type ServingDeps } from './find-unserved.ts';
import { findForeign, findInputOrigin, isForeignOrigin, type OriginDeps } from './origin.ts';
import { type PricingDeps, priceVariants } from './quotes/price-variants.ts';
import { refuseRequest } from './refusal-error.ts';
import { admitOrReplay, type ReplayDeps } from './repeat/admit-or-replay.ts';
import { type AdmitDeps, askerOf, takeAndAdmit, whileKeyIsInUse } from './take-and-admit.ts';
import type { TakeInputs } from './take-inputs.ts';
import type { Admittee } from './write-admissions.ts';

export interface CreateDeps
  extends OriginDeps,
    AdmitDeps,
    ReplayDeps,
    ServingDeps,
    PricingDeps,
    PromptChecks {
  log: Log;
  takeInputs: TakeInputs;
}

export interface Created {
  jobId: string;
  /** True if the idempotency key was known. The job is then the first request's. */
  replayed: boolean;
}

export interface CreatedTogether {
  /** The jobs. A replay lacks those that have been removed since. */
  jobIds: readonly string[];
  replayed: boolean;
}

/**
 * Accepts a job. First checks replay, pauses, routes, balance and inputs, in this order. A failure stores nothing.
 * @throws Overloaded, AppError `idempotency_key_reused`, `idempotency_key_in_use`, `project_paused`, `model_paused`,
 * `no_route`, `insufficient_funds`, `spend_limit_reached`, `open_jobs_limit_reached`, `input_limit_reached`,
 * `inputs_unusable`, `storage_unavailable`
 */
export async function createJob(deps: CreateDeps, request: CreateRequest): Promise<Created> {
  const { jobIds, replayed } = await createJobs(deps, request, [request]);
  const [jobId] = jobIds;
  if (jobId === undefined) throw new Error('a create without a job');
  return { jobId, replayed };
}

/** Accepts one job per variant in one transaction, all or none. @throws as `createJob` */
export async function createJobs(
  deps: CreateDeps,
  request: Omit<CreateRequest, keyof Variant>,
  variants: readonly Variant[],
): Promise<CreatedTogether> {
  const hasForeignOrigin = await isForeignOrigin(deps, request.accountId, request.origin);
  const { variants: each, priceMicros } = priceVariants(deps, request.accountId, variants);
  const unserved =
    findForeign({ hasForeignOrigin }) ?? findLate(request) ?? findUnserved(deps, request, variants);
  const priced = { ...request, idempotency: ownKey(request), variants: each, priceMicros, unserved };
  const isDecidedAtOnce = request.mode === 'text' && !needsCheck(deps, request);
  const admission = await admitOrReplay(deps, priced, (asked) =>
    isDecidedAtOnce
      ? whileKeyIsInUse(request.signal, () => createAtOnce(deps, asked))
      : createAfterChecks(deps, asked),
  );
  if (admission.kind === 'admitted' || admission.kind === 'replayed')
    return { jobIds: admission.jobIds, replayed: admission.kind === 'replayed' };
  return refuseRequest(deps, admission, {
    asker: request,
    priceMicros,
    count: each.length,
    nowMs: deps.clock.nowMs(),
  });
}

function ownKey({
  clientToken,
  idempotency,
}: Pick<CreateRequest, 'clientToken' | 'idempotency'>): CreateRequest['idempotency'] {
  if (!clientToken || !idempotency) return idempotency;
  return { ...idempotency, key: keyOfToken(idempotency.key, clientToken.id) };
}

/** Creates jobs that have no inputs to fetch and no prompts to check, so that admission is enough. */
function createAtOnce(deps: CreateDeps, request: PricedRequest): Promise<Admission> {
  const { idempotency, unanswered, unserved } = request;
  return deps.admit({
    asker: askerOf(request),
    jobs: jobsOf(
      request,
      request.variants.map(() => ({ id: newId(deps.clock.nowMs()), inputs: [], mask: null })),
      () => null,
    ),
    inputBytes: 0,
    unserved,
    idempotency: idempotency && { ...idempotency, holder: null },
    unanswered,
  });
}

function createAfterChecks(deps: CreateDeps, request: PricedRequest): Promise<Admission> {
  const { accountId, inputUrls: urls, mask, mode, variants } = request;
  const take = (jobIds: readonly string[], signal: AbortSignal) =>
    mode === 'text' ? noInputs(jobIds) : deps.takeInputs({ jobIds, accountId, urls, mask, signal });
  return takeAndAdmit(deps, request, async (jobIds, signal) => {
    const { jobs, first, fetchedBytes, discard } = await take(jobIds, signal);
    await using stack = new AsyncDisposableStack();
    stack.defer(discard);
    const inputs = jobs[0]?.inputs ?? [];
    const asked = { prompt: request.prompt, inputs, model: variants[0]?.model.id ?? '', pointer: '/prompt' };
    const [prompt = ''] = await checkPrompts(deps, request, [asked], signal);
    const origin = request.origin ?? (await findInputOrigin(deps, accountId, urls));
    const made = jobsOf({ ...request, prompt, origin }, jobs, (model) => first && nearestRatio(model, first));
    const unserved = findUnservedJob(deps, made, request.variants);
    stack.move();
    return { jobs: made, inputBytes: fetchedBytes, unserved, discard };
  });
}

function noInputs(jobIds: readonly string[]) {
  return {
    jobs: jobIds.map((id) => ({ id, inputs: [], mask: null })),
    first: null,
    fetchedBytes: 0,
    async discard() {},
  };
}

/** Builds one job per variant. `ratioOf` finds the ratio if the request asks for `auto`. */
export function jobsOf(
  request: Pick<PricedRequest, 'variants' | 'aspectRatio' | 'mode' | 'prompt' | keyof JobOptions>,
  taken: readonly Pick<Admittee['jobs'][number], 'id' | 'inputs' | 'mask'>[],
  ratioOf: (model: Model) => AspectRatio | null,
): Admittee['jobs'] {
  const { variants, aspectRatio, mode, prompt, metadata, deadlineAt, origin, output, callbackUrl } = request;
  const options: JobOptions = { metadata, deadlineAt, origin, output, callbackUrl };
  const shared = { mode, prompt, requestedRatio: aspectRatio, ...options };
  return variants.flatMap(({ model, resolution, parameters, priceMicros }, index) => {
    const job = taken[index];
    const own = { model: model.id, modelVersion: model.version, resolution, parameters, priceMicros };
    return job
      ? [{ ...shared, ...job, ...own, aspectRatio: aspectRatio === 'auto' ? ratioOf(model) : aspectRatio }]
      : [];
  });
}
