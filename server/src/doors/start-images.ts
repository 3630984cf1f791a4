import { assertMayUse } from '../accounts/authenticate.ts';
import type { ApiKey } from '../accounts/key-store.ts';
import { assertFits } from '../admission/assert-fits.ts';
import { cleanText } from '../admission/clean-text.ts';
import { createJobs } from '../admission/create-job.ts';
import { judgeUrls } from '../admission/judge-urls.ts';
import { maxPromptLength } from '../api/nouns/jobs/job-schemas.ts';
import {
  defaultResolution,
  type Model,
  type ParameterValue,
  type RequestedRatio,
} from '../catalog/models.ts';
import { withDefaults } from '../catalog/parameters.ts';
import { waitForJob } from '../jobs/get-job.ts';
import type { Job } from '../jobs/job.ts';
import type { DoorDeps } from './door-deps.ts';
import { StillUnderWay, wrongField } from './door-errors.ts';

// Three times as long as OpenAI's clients wait by default. A job may wait for its turn for a day; it can be read later.
const patienceMs = 30 * 60_000;

// By then a supervisor has started another process, or this one again.
const stoppingRetrySeconds = 1;

export interface ImagesRequest {
  key: ApiKey;
  requestId: string;
  model: Model;
  prompt: string;
  ratio: RequestedRatio;
  /** Undefined for the model's default. */
  resolution: string | undefined;
  parameters: Readonly<Record<string, ParameterValue>>;
  metadata: Job['metadata'];
  /** Links to images; none for an image from the prompt alone. */
  inputs: readonly string[];
  /** How many images: all are accepted, or none. */
  count: number;
  idempotency: { key: string; fingerprint: string } | null;
  /** Aborts when the client leaves. Jobs that were accepted go on. */
  signal: () => AbortSignal;
}

export interface StartedImages {
  accountId: string;
  jobIds: readonly string[];
  /** The jobs are those of an earlier request with the same key. */
  replayed: boolean;
  /** The request has a key, so that it finds these jobs when it is sent again. */
  repeatable: boolean;
}

/** Creates the jobs of a request through the one way in. @throws AppError, Overloaded, as `createJobs` */
export async function startImages(deps: DoorDeps, request: ImagesRequest): Promise<StartedImages> {
  const { key, model, inputs, parameters, resolution } = request;
  assertMayUse(key, model.id);
  const prompt = cleanText(request.prompt);
  assertPrompt(prompt);
  assertFits(model, { aspectRatio: request.ratio, resolution, inputs: inputs.length, parameters });
  const [mistake] = judgeUrls({ input_images_urls: inputs }, deps);
  if (mistake) throw mistake;
  const variant = {
    model,
    resolution: resolution ?? defaultResolution(model),
    parameters: withDefaults(model, parameters),
  };
  const { jobIds, replayed } = await createJobs(
    deps,
    {
      accountId: key.accountId,
      keyId: key.id,
      clientToken: key.clientToken ?? null,
      requestId: request.requestId,
      mode: inputs.length > 0 ? 'url' : 'text',
      prompt,
      aspectRatio: request.ratio,
      metadata: request.metadata,
      deadlineAt: null,
      origin: null,
      callbackUrl: null,
      inputUrls: inputs,
      idempotency: request.idempotency,
      signal: request.signal,
    },
    Array.from({ length: request.count }, () => variant),
  );
  return { accountId: key.accountId, jobIds, replayed, repeatable: request.idempotency !== null };
}

/**
 * Waits until all jobs have ended. @throws StillUnderWay when that takes too long or the server stops first;
 * the signal's reason when the client leaves
 */
export async function waitForImages(
  deps: DoorDeps,
  { accountId, jobIds, repeatable }: StartedImages,
  clientGone: AbortSignal,
): Promise<Job[]> {
  const signal = AbortSignal.any([clientGone, deps.closing]);
  const jobs = await Promise.all(
    jobIds.map((jobId) => waitForJob(deps, { accountId, jobId, waitMs: patienceMs, signal })),
  );
  if (jobs.every(({ finishedAt }) => finishedAt !== null)) return jobs;
  clientGone.throwIfAborted();
  if (!deps.closing.aborted) throw new StillUnderWay('The image takes longer than a request waits.');
  // Without a key, sending the request again would make another image.
  throw new StillUnderWay('This process is about to stop.', repeatable ? stoppingRetrySeconds : null);
}

function assertPrompt(prompt: string): void {
  if (prompt === '') throw wrongField('/prompt', 'The prompt must not be empty.');
  if (prompt.length > maxPromptLength)
    throw wrongField('/prompt', `The prompt must have at most ${maxPromptLength} characters.`);
}
