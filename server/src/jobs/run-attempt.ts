import { createHash } from 'node:crypto';
import { type AspectRatio, pixels } from '../catalog/models.ts';
import { type ImageStore, StoreError } from '../images/image-store.ts';
import { BadImage, normaliseImage } from '../images/normalise-image.ts';
import { type FailureKind, type InputImage, ProviderError } from '../providers/provider.ts';
import type { AttemptFailure, Job, ResultImage, StoredInput } from './job.ts';
import type { Route } from './route.ts';

/** Why a running attempt is stopped; the abort reason of its signal. */
export type StopReason = 'timed_out' | 'lease_lost' | 'draining';

export type AttemptOutcome =
  | { kind: 'done'; image: ResultImage; aspectRatio: AspectRatio; notes: readonly string[] }
  | { kind: 'failed'; failure: AttemptFailure; retryAfterMs: number; remoteId: string | null }
  | { kind: 'stopped'; reason: 'lease_lost' | 'draining'; remoteId: string | null };

export interface AttemptContext {
  job: Job;
  route: Route;
  images: ImageStore;
  signal: AbortSignal;
  nowMs: number;
  /** Writes the id down while the lease holds; rejects when it is lost. */
  noteRemoteId(remoteId: string): Promise<void>;
}

/** One try at a job: asks the provider, checks what came, stores it. Changes nothing but the image store. */
export async function runAttempt(context: AttemptContext): Promise<AttemptOutcome> {
  const { job, route, signal } = context;
  let remoteId = job.remoteId;
  try {
    const aspectRatio = chooseRatio(job, route);
    const size = pixels(job.model, aspectRatio, job.resolution);
    const made = await untilAborted(
      signal,
      route.provider.generate(
        {
          jobId: job.id,
          prompt: job.prompt,
          aspectRatio,
          resolution: job.resolution,
          ...size,
          inputs: job.inputs.map((input) => openInput(context.images, input)),
        },
        {
          signal,
          attempt: job.attempt,
          ...(remoteId !== null && { remoteId }),
          async onSubmitted(id) {
            remoteId = id;
            await context.noteRemoteId(id);
          },
        },
      ),
    );
    const { png, notes } = await normaliseImage(made.bytes, size, {
      exact: route.provider.capabilities.exact === true,
    });
    const image = await storeResult(context, png, size);
    return { kind: 'done', image, aspectRatio, notes: [...(made.notes ?? []), ...notes] };
  } catch (error) {
    const reason = stopReason(signal);
    if (reason && reason !== 'timed_out') return { kind: 'stopped', reason, remoteId };
    const failure = describeFailure(context, error, reason);
    // A request that the upstream rejected is not taken up again; one that it may still be working on is.
    const resumable =
      route.provider.capabilities.resumable && ['timeout', 'network', 'store'].includes(failure.kind);
    const retryAfterMs = error instanceof ProviderError ? (error.retryAfterMs ?? 0) : 0;
    return { kind: 'failed', failure, retryAfterMs, remoteId: resumable ? remoteId : null };
  }
}

/** `auto` on text-to-image is the provider's choice, and square where it has no opinion that the model can serve. */
function chooseRatio(job: Job, route: Route): AspectRatio {
  if (job.aspectRatio) return job.aspectRatio;
  const suggested = route.provider.suggestRatio?.(job.prompt);
  return route.provider.capabilities.ratios.includes(suggested ?? '') ? (suggested as AspectRatio) : '1:1'; // just checked
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

async function storeResult(
  { job, images }: AttemptContext,
  png: Uint8Array,
  size: { width: number; height: number },
): Promise<ResultImage> {
  // Named by the attempt: a worker that was presumed dead cannot write over its successor's image.
  const key = `results/${job.id}/${job.attempt}.png`;
  await images.put(key, png, { mediaType: 'image/png', bytes: png.byteLength });
  const sha256 = createHash('sha256').update(png).digest('hex');
  return { key, ...size, bytes: png.byteLength, sha256 };
}

/** A provider that ignores its signal does not hold up its slot. */
function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', abort));
}

function stopReason(signal: AbortSignal): StopReason | undefined {
  return signal.aborted ? (signal.reason as StopReason) : undefined; // only the worker aborts, with these words
}

function describeFailure(
  { job, route, nowMs }: AttemptContext,
  error: unknown,
  reason?: StopReason,
): AttemptFailure {
  const base = { attempt: job.attempt, at: nowMs, route: route.id };
  const fail = (kind: FailureKind | 'store', message: string, detail?: string): AttemptFailure => ({
    ...base,
    kind,
    message,
    ...(detail !== undefined && { detail }),
  });
  if (reason === 'timed_out')
    return fail('timeout', `No image came within ${Math.round(route.timeoutMs / 1000)} seconds.`);
  if (error instanceof ProviderError) return fail(error.kind, error.message, error.detail);
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (error instanceof StoreError) return fail('store', 'The image could not be stored.', text);
  if (error instanceof BadImage)
    return fail('bad_response', 'The image service sent something that is not an image.', text);
  return fail('bad_response', 'The image service answered in a way that nobody expected.', text);
}
