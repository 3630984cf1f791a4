import { isPanelKey } from '../accounts/panel-key.ts';
import type { RetentionSettings } from '../accounts/retention/retention.ts';
import type { Database } from '../base/db/database.ts';
import { toIso, toIsoOrNull } from '../base/std/iso-time.ts';
import { atWidth, inputName, type LinkSigner, resultLink } from '../images/image-links.ts';
import { extensions } from '../images/media-types.ts';
import { askedOf } from '../images/output.ts';
import { formatMicros } from '../money/ledger/money.ts';
import type { Job, Origin } from './job.ts';
import { isWaiting, presentQueue, type QueueView, type WaitEstimator } from './queue-view.ts';
import { type Marks, readMarks } from './tags/read-marks.ts';

/** The Job resource for clients and webhooks. Each call signs fresh links. */
export function presentJob(job: Job, links: Pick<LinkSigner, 'sign'>, queue?: QueueView) {
  return {
    job_id: job.id,
    status: job.status,
    created_at: toIso(job.createdAt),
    started_at: toIsoOrNull(job.startedAt),
    finished_at: toIsoOrNull(job.finishedAt),
    result: presentResult(job, links),
    error: job.error,
    model: job.model,
    mode: job.mode,
    aspect_ratio: job.aspectRatio ?? job.requestedRatio,
    resolution: job.resolution,
    price: formatMicros(job.priceMicros),
    error_code: job.errorCode,
    prompt: job.prompt,
    ...(queue && { queue: presentQueue(queue, job) }),
    ...(Object.keys(job.parameters).length > 0 && { parameters: job.parameters }),
    ...(job.metadata && { metadata: job.metadata }),
    ...(job.deadlineAt !== null && { deadline: toIso(job.deadlineAt) }),
    ...(job.origin && { origin: presentOrigin(job.origin) }),
    ...(job.output && askedOf(job.output)),
    input_images_urls: job.inputs.map(({ mediaType }, index) =>
      links.sign(inputName(job.id, index), extensions[mediaType]),
    ),
    ...(job.mask && {
      mask_url: links.sign(inputName(job.id, job.inputs.length), extensions[job.mask.mediaType]),
    }),
  };
}

/** The Job resource. For a waiting job, it includes the reason for the wait. */
export async function presentLiveJob(
  job: Job,
  { links, waits }: { links: Pick<LinkSigner, 'sign'>; waits: WaitEstimator },
): Promise<PresentedJob> {
  return presentJob(job, links, isWaiting(job) ? await waits.of(job) : undefined);
}

export interface PresentDeps {
  database: Database;
  retention: RetentionSettings;
  links: Pick<LinkSigner, 'sign'>;
}

/** Facts that the job's row lacks, or that only lists use. Polls, the most frequent call, do not query them. */
interface ListedMarks extends Marks {
  /** Null for a job that was created in the panel. */
  key_id: string | null;
}

export async function presentJobs(deps: PresentDeps, jobs: readonly Job[]) {
  const marksOf = await readListedMarks(deps, jobs);
  return jobs.map((job) => ({ ...presentJob(job, deps.links), ...marksOf(job) }));
}

/** The Job resource with all that lists show, and the reason for the wait. */
export async function presentWholeJob(deps: PresentDeps & { waits: WaitEstimator }, job: Job) {
  const marksOf = await readListedMarks(deps, [job]);
  return { ...(await presentLiveJob(job, deps)), ...marksOf(job) };
}

async function readListedMarks(
  { database, retention }: PresentDeps,
  jobs: readonly Job[],
): Promise<(job: Job) => ListedMarks> {
  const marksOf = await readMarks(database.reports, retention, jobs);
  return (job) => ({ key_id: isPanelKey(job) ? null : job.keyId, ...marksOf(job) });
}

function presentResult(job: Job, links: Pick<LinkSigner, 'sign'>) {
  const image = job.image ?? job.deletedImage;
  if (!image) return null;
  const link = job.image ? resultLink(links, job.id, job.image) : undefined;
  return {
    ...(link !== undefined && { image_url: link }),
    width: image.width,
    height: image.height,
    media_type: image.mediaType,
    bytes: image.bytes,
    ...(link !== undefined && { thumbnail_url: atWidth(link, thumbnailWidth) }),
    thumbhash: job.thumbhash,
    ...(job.notes.length > 0 && { notes: job.notes }),
    ...(job.imageDeletedAt !== null && { image_deleted_at: toIso(job.imageDeletedAt) }),
  };
}

const thumbnailWidth = 256;

function presentOrigin({ jobId, kind }: Origin) {
  return { job_id: jobId, kind };
}

export type PresentedJob = ReturnType<typeof presentJob>;
