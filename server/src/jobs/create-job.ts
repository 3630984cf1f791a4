import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AspectRatio,
  type Mode,
  type ModelId,
  nearestRatio,
  type RequestedRatio,
  type Resolution,
} from '../catalog/models.ts';
import { listPauses, type Pause, pauseOf } from '../catalog/pause-store.ts';
import { type Prices, priceOf } from '../catalog/prices.ts';
import type { Database } from '../db/database.ts';
import { readNow } from '../db/rows.ts';
import { AppError } from '../errors.ts';
import { readBalance } from '../ledger/ledger-store.ts';
import { formatMicros } from '../ledger/money.ts';
import { Overloaded } from '../std/batcher.ts';
import type { Clock } from '../std/clock.ts';
import { newId } from '../std/ids.ts';
import type { Admittee } from './admit-jobs.ts';
import { type Admission, decideReplay, type Idempotency } from './decide-admissions.ts';
import { findKeyRecords, holdKeyIfFree, releaseKey } from './idempotency-store.ts';
import type { TakeInputs } from './take-inputs.ts';

/** A validated create request. */
export interface CreateRequest {
  accountId: string;
  keyId: string;
  model: ModelId;
  mode: Mode;
  prompt: string;
  aspectRatio: RequestedRatio;
  resolution: Resolution;
  callbackUrl: string | null;
  /** Empty in mode `text`. */
  inputUrls: readonly string[];
  idempotency: { key: string; fingerprint: string } | null;
  /** Aborts when nobody waits for the answer. Made when it is asked for, because most creates never do. */
  signal: () => AbortSignal;
}

export interface CreateDeps {
  database: Database;
  clock: Clock;
  prices: Prices;
  admit(admittee: Admittee): Promise<Admission>;
  takeInputs: TakeInputs;
}

export interface Created {
  jobId: string;
  /** The key was known: this is the job of the first request. */
  replayed: boolean;
}

// While the first request with a key is under way, the next one looks again this often, for so long.
const lookAgainMs = 100;
const patienceMs = 10_000;
// Longer than inputs may take to arrive, and the longest that a crash can block a key.
const holdMs = 60_000;
const retryAfterSeconds = 1;
const pausedRetrySeconds = 30;

/**
 * Accepts a job: replay, pause, balance, inputs, admission, in this order. Whatever fails leaves nothing behind.
 *
 * @throws AppError `idempotency_key_reused`, `idempotency_key_in_use`, `project_paused`, `model_paused`,
 *   `insufficient_funds`, `inputs_unusable`, `storage_unavailable`
 */
export async function createJob(deps: CreateDeps, request: CreateRequest): Promise<Created> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const admission =
      request.mode === 'text' ? await createFromText(deps, request) : await createFromUrls(deps, request);
    if (admission.kind !== 'in_progress') return toCreated(deps, request, admission);
    if (performance.now() >= giveUpAt) {
      throw new AppError(
        'idempotency_key_in_use',
        'The first request with this Idempotency-Key is still under way. Send it again shortly.',
        {
          retryAfterSeconds,
        },
      );
    }
    await sleep(lookAgainMs, undefined, { signal: request.signal() });
  }
}

/** Nothing to fetch: admission alone decides everything. */
async function createFromText(deps: CreateDeps, request: CreateRequest): Promise<Admission> {
  const id = newId(deps.clock.nowMs());
  const { idempotency } = request;
  return deps.admit({
    job: { ...newJob(deps, request, id), inputs: [], aspectRatio: ratioOrNull(request.aspectRatio) },
    idempotency: idempotency && { ...idempotency, holder: null },
  });
}

/** Holds the key while the inputs are fetched, so that a second request waits instead of fetching them again. */
async function createFromUrls(deps: CreateDeps, request: CreateRequest): Promise<Admission> {
  const id = newId(deps.clock.nowMs());
  const refusal = await holdAndLook(deps, request, id);
  if (refusal) return refusal;
  let admitted = false;
  try {
    const taken = await deps.takeInputs({
      jobId: id,
      accountId: request.accountId,
      urls: request.inputUrls,
      signal: request.signal(),
    });
    const { idempotency } = request;
    const aspectRatio = ratioOrNull(request.aspectRatio) ?? nearestRatio(request.model, taken.first);
    const asked = deps.admit({
      job: { ...newJob(deps, request, id), inputs: taken.inputs, aspectRatio },
      idempotency: idempotency && { ...idempotency, holder: id },
    });
    const admission = await asked.catch(async (error: unknown) => {
      // Otherwise the job may exist all the same and need its inputs; if it does not, a sweep finds them.
      if (error instanceof Overloaded) await taken.discard();
      throw error;
    });
    admitted = admission.kind === 'admitted';
    if (!admitted) await taken.discard();
    return admission;
  } finally {
    if (!admitted) await giveKeyBack(deps, request, id);
  }
}

/** What stops the request before its inputs are fetched; undefined when it now holds its key and may go on. */
async function holdAndLook(
  { database, prices }: CreateDeps,
  request: CreateRequest,
  holder: string,
): Promise<Admission | undefined> {
  const { accountId, idempotency } = request;
  return database.transaction(async (tx): Promise<Admission | undefined> => {
    const replay = idempotency && (await lookForReplay(tx, accountId, { ...idempotency, holder }));
    if (replay) return replay;
    const pause = pauseOf(await listPauses(tx), request.model);
    if (pause) return { kind: 'paused', pause };
    const balance = await readBalance(tx, accountId);
    const availableMicros = balance ? balance.balanceMicros - balance.reservedMicros : 0n;
    if (availableMicros < priceOf(prices, request.model, request.resolution))
      return { kind: 'insufficient', availableMicros };
    const free = !idempotency || (await holdKeyIfFree(tx, { accountId, ...idempotency, holder, holdMs }));
    return free ? undefined : { kind: 'in_progress' };
  });
}

async function lookForReplay(
  tx: Parameters<typeof findKeyRecords>[0],
  accountId: string,
  idempotency: Idempotency,
): Promise<Admission | undefined> {
  const [record] = await findKeyRecords(tx, [{ accountId, key: idempotency.key }]);
  if (!record) return undefined;
  return decideReplay(record, idempotency, await readNow(tx));
}

async function giveKeyBack(
  { database }: CreateDeps,
  { accountId, idempotency }: CreateRequest,
  holder: string,
): Promise<void> {
  if (!idempotency) return;
  // If the database is away the hold runs out by itself.
  await database
    .transaction((tx) => releaseKey(tx, { accountId, key: idempotency.key, holder }))
    .catch(() => {});
}

function newJob({ prices }: CreateDeps, request: CreateRequest, id: string) {
  return {
    id,
    accountId: request.accountId,
    keyId: request.keyId,
    model: request.model,
    mode: request.mode,
    prompt: request.prompt,
    requestedRatio: request.aspectRatio,
    resolution: request.resolution,
    priceMicros: priceOf(prices, request.model, request.resolution),
    callbackUrl: request.callbackUrl,
  };
}

function ratioOrNull(ratio: RequestedRatio): AspectRatio | null {
  return ratio === 'auto' ? null : ratio;
}

function toCreated(
  deps: CreateDeps,
  request: CreateRequest,
  admission: Exclude<Admission, { kind: 'in_progress' }>,
): Created {
  switch (admission.kind) {
    case 'admitted':
      return { jobId: admission.jobId, replayed: false };
    case 'replayed':
      return { jobId: admission.jobId, replayed: true };
    case 'key_reused':
      throw new AppError(
        'idempotency_key_reused',
        'This Idempotency-Key was used for another request. Use a new key for a new request.',
      );
    case 'paused':
      throw pausedError(admission.pause, deps.clock.nowMs());
    case 'insufficient': {
      const required = formatMicros(priceOf(deps.prices, request.model, request.resolution));
      const available = formatMicros(admission.availableMicros);
      throw new AppError(
        'insufficient_funds',
        `This job costs ${required} and ${available} is available. Add credit and send it again.`,
        {
          available,
          required,
        },
      );
    }
  }
}

function pausedError({ scope, reason, until }: Pause, now: number): AppError {
  const what = scope === 'project' ? 'This service' : `The model ${scope}`;
  const why = reason ? `: ${reason.replace(/\.$/, '')}` : '';
  return new AppError(
    scope === 'project' ? 'project_paused' : 'model_paused',
    `${what} is paused${why}. Send the request again later.`,
    {
      retryAfterSeconds: until === null ? pausedRetrySeconds : Math.max(1, Math.ceil((until - now) / 1000)),
    },
  );
}
