import type { Database } from '../../../base/db/database.ts';
import { AppError } from '../../../errors.ts';
import type { Catalogue } from '../../../upstream/catalog/catalogue.ts';
import type { Model } from '../../../upstream/catalog/models.ts';
import { withDefaults } from '../../../upstream/catalog/parameters.ts';
import { getJob, type ReadJob } from '../../get-job.ts';
import { type Job, noOptions } from '../../job.ts';
import type { CreateRequest } from '../create-request.ts';
import { fingerprintOf } from '../fingerprint.ts';
import { findKeyRecords } from '../idempotency-store.ts';
import { keyReused } from '../refusal-error.ts';

export interface RepetitionDeps {
  database: Database;
  readJob: ReadJob;
  catalogue: Pick<Catalogue, 'find'>;
}

type Asker = Pick<CreateRequest, 'accountId' | 'keyId' | 'clientToken' | 'requestId' | 'signal'>;

/** A job as a request with its stored images, or the job that an earlier repetition with this key made. */
export type Repetition =
  | { request: CreateRequest; stored: Pick<Job, 'inputs' | 'mask'>; madeJobId: null }
  | { madeJobId: string };

/**
 * Reads a job as a request that repeats it. Copies stored inputs, because their URLs may lead to other images by now.
 * @throws AppError `not_found`; `image_gone` if the prompt or inputs were deleted; `idempotency_key_reused` if the key
 * made another job
 */
export async function readRepetition(
  deps: RepetitionDeps,
  asker: Asker,
  wanted: { jobId: string; idempotencyKey: string | null; assertMayUse(model: Model): void },
): Promise<Repetition> {
  const job = await getJob(deps, { accountId: asker.accountId, jobId: wanted.jobId });
  const { idempotencyKey: key } = wanted;
  const fingerprint = fingerprintOf('POST', 'again', { job: job.id });
  const gone = findGone(job);
  // Looked up here, because admission would create a job without a prompt if the key expires in between.
  const madeJobId = gone === undefined ? null : await findMade(deps, { ...asker, key, fingerprint });
  if (gone !== undefined && madeJobId === null) throw new AppError('image_gone', gone);
  const model = deps.catalogue.find(job.model);
  if (!model) throw new AppError('not_found', `The model "${job.model}" no longer exists.`);
  wanted.assertMayUse(model);
  if (madeJobId !== null) return { madeJobId };
  const { prompt, requestedRatio: aspectRatio, resolution, metadata, callbackUrl, mode, output } = job;
  const request: CreateRequest = {
    ...asker,
    ...{ ...noOptions, metadata, callbackUrl, output },
    ...{ prompt, aspectRatio, mode, mask: null, inputUrls: [] },
    ...{ model, resolution, parameters: withDefaults(model, job.parameters) },
    origin: { jobId: job.id, kind: 'again' },
    idempotency: key === null ? null : { key, fingerprint },
  };
  return { request, stored: job, madeJobId };
}

/** Describes data that a repetition lacks, because prompts and inputs may be deleted before images. */
function findGone({ imageDeletedAt, prompt, mode, inputs }: Job): string | undefined {
  if (imageDeletedAt !== null) return 'The image was deleted, together with its prompt and inputs.';
  if (prompt === '' || (mode === 'url' && inputs.length === 0))
    return 'The prompt or the input images of this job were deleted.';
  return undefined;
}

async function findMade(
  { database }: RepetitionDeps,
  { accountId, key, fingerprint }: { accountId: string; key: string | null; fingerprint: string },
): Promise<string | null> {
  if (key === null) return null;
  const [record] = await findKeyRecords(database.read, [{ accountId, key }]);
  if (!record?.jobId) return null;
  if (record.fingerprint !== fingerprint) throw keyReused();
  return record.jobId;
}
