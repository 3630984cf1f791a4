import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ByteBudget } from '../../base/std/memory/byte-budget.ts';
import { encodeResult, OpaqueImage } from '../../images/encode-result.ts';
import { type ImageStore, StoreError } from '../../images/image-store.ts';
import { markResult, signResult } from '../../images/mark-result.ts';
import { type MarkPolicy, type OriginMark, sourceTypeOf } from '../../images/marks/origin-mark.ts';
import { type Framed, frameForMask, keepOutsideMask, toTransparentMask } from '../../images/masks.ts';
import type { StoredMediaType } from '../../images/media-types.ts';
import { BadImage, type Normalised, normaliseImage, SmallImage } from '../../images/normalise-image.ts';
import { resultKey } from '../../images/object-keys.ts';
import { readWhole } from '../../images/read-whole.ts';
import type { PixelPlace } from '../../images/renditions.ts';
import type { Signer } from '../../images/signing/open-signer.ts';
import { type AspectRatio, type Model, pixels, type Size } from '../../upstream/catalog/models.ts';
import type { RateBook } from '../../upstream/prices/rate-book.ts';
import { answerMemory, type HoldMemory } from '../../upstream/providers/answer-memory.ts';
import { inMemory } from '../../upstream/providers/fit-input.ts';
import {
  type FailureKind,
  type ImageRequest,
  type InputImage,
  ProviderError,
} from '../../upstream/providers/provider.ts';
import type { Charge } from '../costs/charge.ts';
import { type ChargeMeter, meterCharge } from '../costs/meter-charge.ts';
import type { Guardrail, Withheld } from '../guardrails/guardrail.ts';
import type { RefusedBy } from '../guardrails/refusal.ts';
import type { AttemptFailure, Job, ResultImage, StoredInput } from '../job.ts';
import { anyRatio, planRequest, type RequestPlan, shapeOf } from '../routes/plan-request.ts';
import { estimateOf, type Route } from '../routes/route.ts';
import { type AttemptMemory, holdOnce } from './image-memory.ts';

/** Why a running attempt was stopped: the abort reason of its signal. */
export type StopReason = 'timed_out' | 'lease_lost' | 'draining';

export type AttemptOutcome =
  | {
      kind: 'done';
      image: ResultImage;
      aspectRatio: AspectRatio;
      notes: readonly string[];
      costMicros: bigint | null;
    }
  | {
      kind: 'failed';
      failure: AttemptFailure;
      /** The failure of the route, if by the vendor's documentation the answer proves it, as in `ProviderError`. */
      proven?: FailureKind | undefined;
      refusedBy?: RefusedBy | null;
      retryAfterMs: number;
      remoteId: string | null;
    }
  | { kind: 'stopped'; reason: 'lease_lost' | 'draining'; remoteId: string | null };

export interface AttemptContext {
  /** The job, with its model in the version under which it was accepted. */
  job: Job & { accepted: Model };
  route: Route;
  images: ImageStore;
  memory: ByteBudget;
  signal: AbortSignal;
  nowMs: number;
  currency: string;
  rates: RateBook;
  marking: MarkPolicy;
  /** Null if images are not signed. */
  signer: Signer | null;
  guardrail: Guardrail | null;
  /** Keeps the pixels of the stored image for its rendition. */
  place: PixelPlace;
  /** The time after which the signal aborts with `timed_out`. */
  timeoutMs: number;
  /** Stores the id while the lease is ours. Rejects if the lease is lost. */
  noteRemoteId(remoteId: string): Promise<void>;
  part<T>(name: 'upstream call' | 'signing' | 'storage', work: () => Promise<T>): Promise<T>;
}

export type AttemptResult = AttemptOutcome & { charge: Charge };

/** Makes one attempt: calls the provider, checks the image, stores it. Does not write to the database. */
export async function runAttempt(context: AttemptContext): Promise<AttemptResult> {
  const { job, route, currency, rates } = context;
  const { id, model } = route.provider;
  const amounts = { estimateMicros: estimateOf(route, job.resolution), currency };
  const meter = meterCharge(amounts, (used) => rates.costOf(id, model, used));
  // The memory is freed here, because the images are garbage only after `makeImage` has returned.
  await using memory = holdOnce(context.memory, context.signal);
  const outcome = await makeImage(context, meter, memory);
  return { ...outcome, charge: meter.charge() };
}

async function makeImage(
  context: AttemptContext,
  meter: ChargeMeter,
  memory: AttemptMemory,
): Promise<AttemptOutcome> {
  const { job, route, signal } = context;
  let remoteId = job.remoteId;
  try {
    const aspectRatio = chooseRatio(context);
    const promised = pixels(job.accepted, aspectRatio, job.resolution);
    const uses = { isMasked: job.mask !== null, isSigned: context.signer !== null };
    const hold = memory.holdFor(uses, promised);
    const framed = await frameOf(context, promised, hold);
    const request = await requestOf(context, planOf(context, aspectRatio), framed);
    const call = () =>
      meter.ask((onCharge) =>
        route.provider.generate(request, {
          signal,
          attempt: job.attempt,
          ...(remoteId !== null && { remoteId }),
          startsAnew: startsAnew(context),
          async onSubmitted(id) {
            remoteId = id;
            await context.noteRemoteId(id);
          },
          onCharge,
        }),
      );
    const made = await context.part('upstream call', () =>
      untilAborted(signal, answerMemory.run(hold, call)),
    );
    await hold(made.bytes.byteLength);
    const isEncoded = job.output !== null || framed !== null;
    const normalised = await normaliseImage(made.bytes, promised, {
      exact: route.provider.capabilities.exact === true,
      fit: route.fit ?? 'crop',
      upscale: route.upscale === true,
      // Encoding changes the pixels, so the upstream's signed statement is no longer valid.
      keepSigned: context.marking.keepSigned && !isEncoded,
      place: isEncoded ? null : context.place,
    });
    const mark = markOf(context);
    const marked = markResult(await keepOutside(normalised, framed, promised), mark, context.marking);
    await assertReleasable(context, marked, normalised.proven);
    const file = await encodeResult(marked, job.output);
    const files = { marked: file.bytes, made: made.bytes, manifest: normalised.manifest };
    const sign = () => signResult(context.signer, files, mark);
    const { signed, notes } = await (context.signer ? context.part('signing', sign) : sign());
    const result = { bytes: signed, mediaType: file.mediaType };
    const image = await context.part('storage', () =>
      storeResult(context, result, promised, normalised.proven),
    );
    return {
      kind: 'done',
      image,
      aspectRatio,
      notes: [...(made.notes ?? []), ...normalised.notes, ...notes],
      costMicros: inOwnCurrency(meter.charge()),
    };
  } catch (error) {
    const reason = stopReason(signal);
    if (reason && reason !== 'timed_out') return { kind: 'stopped', reason, remoteId };
    const resumable = remoteId !== null && isResumable(error, route);
    const failure = { ...describeFailure(context, error, reason), ...(resumable && { resumable }) };
    const { retryAfterMs = 0, proven } = error instanceof ProviderError ? error : {};
    const refusedBy = error instanceof Refused ? error.refusedBy : null;
    return { kind: 'failed', failure, proven, refusedBy, retryAfterMs, remoteId };
  }
}

function inOwnCurrency({ costMicros, currency }: Charge): bigint | null {
  return currency === null ? costMicros : null;
}

function planOf({ job, route }: AttemptContext, ratio: AspectRatio): RequestPlan {
  const plan = planRequest(route, { ...shapeOf(job.accepted, job), ratio });
  if (!plan) throw new Error(`${route.id} was given a job that it cannot serve`);
  return plan;
}

function startsAnew({ job, route }: AttemptContext): boolean {
  return job.failures.some(({ kind, route: used }) => kind === 'bad_response' || used !== route.id);
}

/** A masked job's image and mask, fitted to the frame of the result; null without a mask. */
async function frameOf(
  { job: { inputs, mask }, images }: AttemptContext,
  size: Size,
  hold: HoldMemory,
): Promise<Framed | null> {
  const [first] = inputs;
  if (!mask || !first) return null;
  await hold(0);
  const read = async (input: StoredInput) => readWhole(await openInput(images, input).read(), input.bytes);
  return frameForMask({ original: await read(first), mask: await read(mask) }, size);
}

async function keepOutside(normalised: Normalised, framed: Framed | null, size: Size): Promise<Normalised> {
  if (!framed) return normalised;
  await normalised.proven;
  return { ...normalised, png: await keepOutsideMask(normalised.png, framed, size) };
}

async function requestOf(
  { job, route, images }: AttemptContext,
  plan: RequestPlan,
  framed: Framed | null,
): Promise<ImageRequest> {
  const size = pixels(job.accepted, plan.ratio, job.resolution);
  const inputs = job.inputs.map((input) => openInput(images, input));
  return {
    jobId: job.id,
    prompt: job.prompt,
    aspectRatio: plan.ratio,
    resolution: plan.resolution,
    width: plan.width,
    height: plan.height,
    inputs: framed ? [inMemory(framed.original, size), ...inputs.slice(1)] : inputs,
    fields: fieldsOf(job.parameters, route),
    options: {
      ...(job.output && { background: job.output.background }),
      ...(framed && { mask: inMemory(await toTransparentMask(framed.mask, size), size) }),
    },
  };
}

function fieldsOf(parameters: Job['parameters'], { parameters: paths = {} }: Route): ImageRequest['fields'] {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [paths[name] ?? name, value]));
}

/** Whether the next attempt can resume the upstream request, for example after a timeout or a failed store. */
function isResumable(error: unknown, { provider }: Route): boolean {
  if (error instanceof ProviderError) return error.resumable;
  return (
    provider.capabilities.resumable &&
    (error instanceof StoreError || error === ('timed_out' satisfies StopReason))
  );
}

/** Chooses the ratio. For `auto` without inputs, the provider suggests one; if that cannot be served, it is square. */
function chooseRatio({ job, route }: AttemptContext): AspectRatio {
  if (job.aspectRatio) return job.aspectRatio;
  const suggested = route.provider.suggestRatio?.(job.prompt);
  const isServed = suggested !== undefined && route.provider.capabilities.ratios.includes(suggested);
  return isServed && job.accepted.ratios.includes(suggested) ? suggested : anyRatio(job.accepted);
}

function openInput(images: ImageStore, input: StoredInput): InputImage {
  return {
    mediaType: input.mediaType,
    width: input.width,
    height: input.height,
    bytes: input.bytes,
    async read() {
      const stored = await images.get(input.key);
      if (!stored)
        throw new ProviderError('invalid_input', 'An input image is no longer stored. Create the job again.');
      return stored.body;
    },
  };
}

function markOf({ job, route, nowMs }: AttemptContext): OriginMark & { model: string } {
  const drawn = route.provider.capabilities.exact === true;
  const sourceType = sourceTypeOf({ drawn, inputs: job.inputs.length });
  return { sourceType, jobId: job.id, madeAtMs: nowMs, model: job.model };
}

/** Thrown if the image cannot be released. The message is a sentence for the client. */
class Refused extends Error {
  readonly refusedBy: RefusedBy | null;

  constructor({ message, refusedBy }: Withheld) {
    super(message);
    this.refusedBy = refusedBy;
  }
}

/**
 * Applies the policy before storing, so that a refused image is never stored. Waits for `proven`, so that the guardrail
 * is never asked about a damaged image.
 */
async function assertReleasable(
  { job, guardrail, signal }: AttemptContext,
  png: Uint8Array,
  proven: Promise<void>,
): Promise<void> {
  if (!guardrail?.asks('image', job.accountId)) return;
  await proven;
  const { accountId, keyId, model, id: jobId, requestId } = job;
  const withheld = await guardrail.checkImage({ accountId, keyId, model, jobId, requestId, png }, signal);
  if (withheld) throw new Refused(withheld);
}

/** Stores the image while it is being checked, and removes it if it is damaged. */
async function storeResult(
  { job, images }: AttemptContext,
  { bytes: content, mediaType }: { bytes: Uint8Array; mediaType: StoredMediaType },
  size: Size,
  proven: Promise<void>,
): Promise<ResultImage> {
  const key = resultKey(job.id, job.attempt, mediaType);
  const bytes = content.byteLength;
  const stored = images.put(key, content, { mediaType, bytes, isNew: true });
  const sha256 = createHash('sha256').update(content).digest('hex');
  const [damage] = await Promise.allSettled([proven, stored]);
  if (damage.status === 'rejected') {
    await images.remove(key).catch(() => undefined); // otherwise the sweep removes it
    throw damage.reason;
  }
  await stored;
  return { key, mediaType, ...size, bytes, sha256 };
}

/** Stops waiting for a provider that ignores the signal. Others get a moment to report their request's state. */
async function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => void sleep(lastWordsMs).then(() => reject(signal.reason));
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', abort));
}

// The time in which an aborted provider may report its request's state, short enough for a shutdown.
const lastWordsMs = 250;

function stopReason(signal: AbortSignal): StopReason | undefined {
  return signal.aborted ? (signal.reason as StopReason) : undefined; // only the worker aborts, with a `StopReason`
}

function describeFailure(
  { job, route, nowMs, timeoutMs }: AttemptContext,
  error: unknown,
  reason?: StopReason,
): AttemptFailure {
  const base = { attempt: job.attempt, at: nowMs, route: route.id };
  const fail = (kind: AttemptFailure['kind'], message: string, detail?: string): AttemptFailure => {
    return { ...base, kind, message, ...(detail !== undefined && { detail }) };
  };
  if (reason === 'timed_out')
    return fail('timeout', `No image came within ${Math.round(timeoutMs / 1000)} seconds.`);
  if (error instanceof Refused) return fail('policy', error.message);
  if (error instanceof ProviderError) return fail(error.kind, error.message, error.detail);
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (error instanceof StoreError) return fail('store', 'The image could not be stored.', text);
  if (error instanceof OpaqueImage)
    return fail('bad_response', 'The image model made no transparent background.', text);
  if (error instanceof SmallImage)
    return fail('bad_response', 'The image model made an image that is smaller than promised.', text);
  if (error instanceof BadImage)
    return fail('bad_response', 'The image service sent something that is not an image.', text);
  return fail('bad_response', 'The image service sent an unexpected answer.', text);
}
