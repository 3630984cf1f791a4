import { setTimeout as sleep } from 'node:timers/promises';
import { type AspectRatio, type Model, nearestRatio, sizingOf } from '../catalog/models.ts';
import type { Clock } from '../std/clock.ts';
import { newId } from '../std/ids.ts';
import { Overloaded } from '../std/overloaded.ts';
import { runSpan } from '../tracing/run-span.ts';
import { contextOf } from '../tracing/trace-context.ts';
import type { Tracing } from '../tracing/tracing.ts';
import type { Admittee } from './admit-jobs.ts';
import type { CreateRequest, PricedRequest, Variant } from './create-request.ts';
import type { Admission } from './decide-admissions.ts';
import { assertOwnOrigin, findInputOrigin, type OriginDeps } from './find-origin.ts';
import { keepKey, type PreAdmitDeps, preAdmit } from './pre-admit.ts';
import { refusalError } from './refuse-create.ts';
import type { TakeInputs } from './take-inputs.ts';
import type { Place } from './under-way.ts';

export interface CreateDeps extends OriginDeps, PreAdmitDeps {
  clock: Clock;
  admit(admittee: Admittee): Promise<Admission>;
  takeInputs: TakeInputs;
  tracing: Tracing;
}

export interface Created {
  jobId: string;
  /** The key was known, and this is the job of the first request. */
  replayed: boolean;
}

export interface CreatedTogether {
  /** In a replay fewer, if some jobs of the first request have been removed since. */
  jobIds: readonly string[];
  replayed: boolean;
}

// While the first request with a key is under way, a second one checks this often, and gives up after this
// long.
const lookAgainMs = 100;
const patienceMs = 10_000;
// From the request to its admission, including the wait for download slots and decoders. Clients and proxies
// give up by then.
const deadlineMs = 60_000;

/**
 * Accepts a job: replay, pause, balance, inputs, admission, in this order. A failure leaves nothing behind.
 *
 * @throws AppError `idempotency_key_reused`, `idempotency_key_in_use`, `project_paused`, `model_paused`,
 *   `insufficient_funds`, `spend_limit_reached`, `open_jobs_limit_reached`, `input_limit_reached`, `inputs_unusable`, `storage_unavailable`
 * @throws Overloaded
 */
export async function createJob(deps: CreateDeps, request: CreateRequest): Promise<Created> {
  const { jobIds, replayed } = await createJobs(deps, request, [request]);
  const [jobId] = jobIds;
  if (jobId === undefined) throw new Error('a create without a job');
  return { jobId, replayed };
}

/** Accepts several jobs of one request in one transaction, one per variant: all or none. @throws as `createJob` */
export async function createJobs(
  deps: CreateDeps,
  request: Omit<CreateRequest, keyof Variant>,
  variants: readonly Variant[],
): Promise<CreatedTogether> {
  if (request.origin) await assertOwnOrigin(deps, request.accountId, request.origin);
  const each = variants.map(({ model, resolution, parameters }) => {
    const { priceMicros } = sizingOf(model, resolution);
    return { model, resolution, parameters, priceMicros };
  });
  const priceMicros = each.reduce((sum, one) => sum + one.priceMicros, 0n);
  const priced = { ...request, idempotency: ownKey(request), variants: each, priceMicros };
  const admission = await (request.mode === 'text'
    ? whileKeyIsInUse(request.signal, () => createFromText(deps, priced))
    : createFromUrls(deps, priced));
  if (admission.kind === 'admitted' || admission.kind === 'replayed')
    return { jobIds: admission.jobIds, replayed: admission.kind === 'replayed' };
  throw refusalError(admission, { priceMicros, count: each.length, nowMs: deps.clock.nowMs() });
}

/** Tokens do not share the keys of their account. Keys of clients have no spaces. */
function ownKey({
  clientToken,
  idempotency,
}: Pick<CreateRequest, 'clientToken' | 'idempotency'>): CreateRequest['idempotency'] {
  if (!clientToken || !idempotency) return idempotency;
  return { ...idempotency, key: `${idempotency.key} of ${clientToken.id}` };
}

/** Waits for the first request with the same key, up to a limit. */
async function whileKeyIsInUse(
  signal: () => AbortSignal,
  attempt: () => Promise<Admission>,
): Promise<Admission> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const admission = await attempt();
    if (admission.kind !== 'in_progress' || performance.now() >= giveUpAt) return admission;
    await sleep(lookAgainMs, undefined, { signal: signal() });
  }
}

/** Without inputs to fetch, admission decides everything. */
function createFromText(deps: CreateDeps, request: PricedRequest): Promise<Admission> {
  const { idempotency } = request;
  return deps.admit({
    asker: askerOf(request),
    jobs: jobsOf(
      request,
      newIds(deps, request).map((id) => ({ id, inputs: [] })),
      () => null,
    ),
    inputBytes: 0,
    idempotency: idempotency && { ...idempotency, holder: null },
  });
}

async function createFromUrls(deps: CreateDeps, request: PricedRequest): Promise<Admission> {
  using place = deps.underWay.enter(request.accountId);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Overloaded()), deadlineMs);
  const signal = AbortSignal.any([request.signal(), late.signal]);
  try {
    return await whileKeyIsInUse(
      () => signal,
      () => fetchAndAdmit(deps, request, place, signal),
    );
  } finally {
    clearTimeout(timer);
  }
}

async function fetchAndAdmit(
  deps: CreateDeps,
  request: PricedRequest,
  place: Place,
  signal: AbortSignal,
): Promise<Admission> {
  const { accountId, idempotency } = request;
  const jobIds = newIds(deps, request);
  const [holder = ''] = jobIds;
  const expected = await preAdmit(deps, request, { jobIds, holder, place });
  if (expected.kind !== 'admitted') return expected;
  await using key = keepKey(deps.database, request, holder);
  const taken = await runSpan(
    deps.tracing,
    {
      parent: contextOf(request.requestId),
      name: 'take inputs',
      kind: 'internal',
      fields: { 'darkroom.inputs': request.inputUrls.length },
    },
    () => deps.takeInputs({ jobIds, accountId, urls: request.inputUrls, signal }),
  );
  const origin = request.origin ?? (await findInputOrigin(deps, accountId, request.inputUrls));
  // From here on admission counts the price. Counting it twice would refuse other creates that the account
  // can pay for.
  place.promised = 0n;
  const asked = deps.admit({
    asker: askerOf(request),
    jobs: jobsOf({ ...request, origin }, taken.jobs, (model) => nearestRatio(model, taken.first)),
    inputBytes: taken.fetchedBytes,
    idempotency: idempotency && { ...idempotency, holder },
  });
  const admission = await asked.catch(async (error: unknown) => {
    // After any other error the job may exist and need its inputs; if it does not, a sweep removes them.
    if (error instanceof Overloaded) await taken.discard();
    throw error;
  });
  key.used = admission.kind === 'admitted';
  if (!key.used) await taken.discard();
  return admission;
}

function newIds({ clock }: CreateDeps, { variants }: PricedRequest): string[] {
  return variants.map(() => newId(clock.nowMs()));
}

function askerOf({ accountId, keyId, clientToken, requestId }: PricedRequest): Admittee['asker'] {
  return { accountId, keyId, clientTokenId: clientToken?.id ?? null, requestId };
}

/** The jobs of the variants. A ratio that the request leaves open is found by `ratioOf`. */
export function jobsOf(
  request: Omit<
    PricedRequest,
    keyof Admittee['asker'] | 'clientToken' | 'inputUrls' | 'idempotency' | 'signal'
  >,
  taken: readonly Pick<Admittee['jobs'][number], 'id' | 'inputs'>[],
  ratioOf: (model: Model) => AspectRatio | null,
): Admittee['jobs'] {
  const { variants, aspectRatio } = request;
  const { mode, prompt, metadata, deadlineAt, origin, callbackUrl } = request;
  const shared = { mode, prompt, requestedRatio: aspectRatio, metadata, deadlineAt, origin, callbackUrl };
  return variants.flatMap(({ model, resolution, parameters, priceMicros }, index) => {
    const job = taken[index];
    const own = { model: model.id, modelVersion: model.version, resolution, parameters, priceMicros };
    return job
      ? [{ ...shared, ...job, ...own, aspectRatio: aspectRatio === 'auto' ? ratioOf(model) : aspectRatio }]
      : [];
  });
}
