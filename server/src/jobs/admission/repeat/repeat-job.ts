import { AppError } from '../../../errors.ts';
import type { ImageStore } from '../../../images/image-store.ts';
import type { Catalogue } from '../../../upstream/catalog/catalogue.ts';
import type { Model } from '../../../upstream/catalog/models.ts';
import { withDefaults } from '../../../upstream/catalog/parameters.ts';
import { getJob, type ReadJob } from '../../get-job.ts';
import { noOptions } from '../../job.ts';
import { type CreateDeps, createJobs } from '../create-job.ts';
import type { CreateRequest } from '../create-request.ts';
import { fingerprintOf } from '../fingerprint.ts';
import { takeStoredInputs } from './take-stored-inputs.ts';

export type RepeatDeps = CreateDeps & {
  readJob: ReadJob;
  images: ImageStore;
  catalogue: Pick<Catalogue, 'find'>;
};

type Asker = Pick<CreateRequest, 'accountId' | 'keyId' | 'clientToken' | 'requestId' | 'signal'>;

/**
 * Makes another job with the request of an existing one. Inputs are copied from storage, because their URLs may lead to
 * something else now.
 *
 * @param assertMayUse throws for a model that the caller may not use
 * @throws AppError as `createJobs`; `not_found`; `image_gone` when the request's data was deleted
 */
export async function repeatJob(
  deps: RepeatDeps,
  asker: Asker,
  wanted: { jobId: string; idempotencyKey: string | null; assertMayUse(model: Model): void },
): Promise<{ jobId: string; replayed: boolean }> {
  const job = await getJob(deps, { accountId: asker.accountId, jobId: wanted.jobId });
  if (job.imageDeletedAt !== null)
    throw new AppError('image_gone', 'The image was deleted, and with it what was asked for.');
  const model = deps.catalogue.find(job.model);
  if (!model) throw new AppError('not_found', `The model "${job.model}" no longer exists.`);
  wanted.assertMayUse(model);
  const { prompt, requestedRatio: aspectRatio, resolution, metadata, callbackUrl, mode, output } = job;
  const { idempotencyKey: key } = wanted;
  const { jobIds, replayed } = await createJobs(
    { ...deps, takeInputs: takeStoredInputs(deps, job) },
    {
      ...asker,
      ...{ ...noOptions, metadata, callbackUrl, output },
      ...{ prompt, aspectRatio, mode, mask: null, inputUrls: [] },
      origin: { jobId: job.id, kind: 'again' },
      idempotency:
        key === null ? null : { key, fingerprint: fingerprintOf('POST', 'again', { job: job.id }) },
    },
    [{ model, resolution, parameters: withDefaults(model, job.parameters) }],
  );
  return { jobId: jobIds[0] ?? '', replayed };
}
