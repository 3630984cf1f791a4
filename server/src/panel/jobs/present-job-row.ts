import { isPanelKey } from '../../accounts/panel-key.ts';
import type { LinkSigner } from '../../images/image-links.ts';
import type { Job } from '../../jobs/job.ts';
import { presentOrigin } from '../../jobs/present-job.ts';
import { readTags, type Tags } from '../../jobs/tags/tag-store.ts';
import { formatMicros } from '../../ledger/money.ts';
import { toIso, toIsoOrNull } from '../../std/iso-time.ts';
import type { PanelDeps } from '../panel-deps.ts';
import type { JobRow, JobThumb } from './contract.ts';

/** With what people have put on them. */
export async function presentJobRows(
  { database, links }: Pick<PanelDeps, 'database' | 'links'>,
  jobs: readonly Job[],
): Promise<JobRow[]> {
  const tagsOf = await readTags(
    database.reports,
    jobs.map(({ id }) => id),
  );
  return jobs.map((job) => ({
    ...presentJobRow(job, links),
    ...tagsOf(job.id),
  }));
}

export function presentJobThumb(job: Job, links: Pick<LinkSigner, 'sign'>): JobThumb {
  const image = job.image ?? job.deletedImage;
  return {
    job_id: job.id,
    status: job.status,
    prompt: job.prompt,
    finished_at: toIsoOrNull(job.finishedAt),
    image_url: job.image && links.sign(job.id, 'png'),
    thumbhash: job.thumbhash,
    width: image?.width ?? null,
    height: image?.height ?? null,
  };
}

function presentJobRow(job: Job, links: Pick<LinkSigner, 'sign'>): Omit<JobRow, keyof Tags> {
  return {
    ...presentJobThumb(job, links),
    model: job.model,
    mode: job.mode,
    aspect_ratio: job.aspectRatio ?? job.requestedRatio,
    resolution: job.resolution,
    price: formatMicros(job.priceMicros),
    key_id: isPanelKey(job) ? null : job.keyId,
    created_at: toIso(job.createdAt),
    started_at: toIsoOrNull(job.startedAt),
    error: job.error,
    error_code: job.errorCode,
    image_deleted: job.imageDeletedAt !== null,
    metadata: job.metadata ?? {},
    origin: job.origin && presentOrigin(job.origin),
  };
}
