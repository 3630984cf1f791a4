import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../base/std/clock.ts';
import { newId } from '../../base/std/ids.ts';
import { Overloaded } from '../../base/std/overloaded.ts';
import { runSpan } from '../../base/tracing/run-span.ts';
import { contextOf } from '../../base/tracing/trace-context.ts';
import type { Tracing } from '../../base/tracing/tracing.ts';
import type { Payable } from './create-request.ts';
import type { Admission } from './decide-admissions.ts';
import { keepHold, type PreAdmitDeps, preAdmit } from './pre-admit.ts';
import type { CreateUnderWay } from './under-way.ts';
import type { Admittee } from './write-admissions.ts';

// The interval at which a second request with a key checks whether the first has ended.
const lookAgainMs = 100;
const patienceMs = 10_000;
// The time limit from a request to its admission, with all waits. After it, clients and proxies give up.
export const admissionDeadlineMs = 60_000;

export interface AdmitDeps extends PreAdmitDeps {
  clock: Clock;
  admit(admittee: Admittee): Promise<Admission>;
  tracing: Tracing;
}

export interface Taken extends Pick<Admittee, 'jobs' | 'inputBytes' | 'unserved'> {
  /** Removes the stored inputs if the jobs are not admitted. */
  discard(): Promise<void>;
}

type Take = (jobIds: readonly string[], signal: AbortSignal) => Promise<Taken>;

/** Fetches the inputs of a request that would be accepted now, then admits it. A failure leaves nothing behind. */
export async function takeAndAdmit(
  deps: AdmitDeps,
  request: Payable,
  take: Take,
  batch?: Admittee['batch'],
): Promise<Admission> {
  using create = deps.underWay.enter(request.accountId);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Overloaded()), admissionDeadlineMs);
  const signal = AbortSignal.any([request.signal(), late.signal]);
  try {
    return await whileKeyIsInUse(
      () => signal,
      () => tryOnce(deps, request, { take, batch, create, signal }),
    );
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for the first request with the same key, up to a limit. */
export async function whileKeyIsInUse(
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

async function tryOnce(
  deps: AdmitDeps,
  request: Payable,
  {
    take,
    batch,
    create,
    signal,
  }: { take: Take; batch: Admittee['batch']; create: CreateUnderWay; signal: AbortSignal },
): Promise<Admission> {
  const { idempotency } = request;
  const jobIds = request.variants.map(() => newId(deps.clock.nowMs()));
  const [holder = ''] = jobIds;
  const expected = await preAdmit(deps, request, { jobIds, holder, create, isBatch: batch !== undefined });
  if (expected.kind !== 'admitted') return expected;
  await using hold = keepHold(deps.database, request, jobIds);
  const taken = await runSpan(
    deps.tracing,
    {
      parent: contextOf(request.requestId),
      name: 'take inputs',
      kind: 'internal',
      fields: { 'darkroom.inputs': request.inputUrls.length },
    },
    () => take(jobIds, signal),
  );
  // Admission counts the price from now on. Counting it twice would refuse creates that the account can pay for.
  create.promised = 0n;
  const asked = deps.admit({
    asker: askerOf(request),
    jobs: taken.jobs,
    inputBytes: taken.inputBytes,
    unserved: taken.unserved,
    idempotency: idempotency && { ...idempotency, holder },
    ...(batch && { batch }),
  });
  const admission = await asked.catch(async (error: unknown) => {
    // After any error but `Overloaded`, the job may exist and need its inputs. If it does not, a sweep removes them.
    if (error instanceof Overloaded) await taken.discard();
    throw error;
  });
  hold.used = admission.kind === 'admitted';
  if (!hold.used) await taken.discard();
  return admission;
}

export function askerOf({ accountId, keyId, clientToken, requestId }: Payable): Admittee['asker'] {
  return { accountId, keyId, clientTokenId: clientToken?.id ?? null, requestId };
}
