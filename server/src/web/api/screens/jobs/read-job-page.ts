import type { Static } from 'typebox';
import { findKey } from '../../../../accounts/key-store.ts';
import { isPanelKey } from '../../../../accounts/panel-key.ts';
import type { Clock } from '../../../../base/std/clock.ts';
import { toIso } from '../../../../base/std/iso-time.ts';
import type { OpaqueIds } from '../../../../base/std/sealing/opaque-ids.ts';
import { expiryOf, type LinkSigner } from '../../../../images/image-links.ts';
import { findBatchOf } from '../../../../jobs/batches/batch-store.ts';
import { listCosts } from '../../../../jobs/costs/attempt-cost-store.ts';
import { presentCost } from '../../../../jobs/costs/present-cost.ts';
import { getJob, type ReadJob } from '../../../../jobs/get-job.ts';
import type { Job } from '../../../../jobs/job.ts';
import { readLineage } from '../../../../jobs/lineage-store.ts';
import { type PresentDeps, presentJobs, presentWholeJob } from '../../../../jobs/present-job.ts';
import type { WaitEstimator } from '../../../../jobs/queue-view.ts';
import { listEntriesOfJob } from '../../../../money/ledger/entry-page-store.ts';
import { formatMicros } from '../../../../money/ledger/money.ts';
import { presentEntry } from '../../../../money/ledger/present-entry.ts';
import { listDeliveries } from '../../../../notify/webhooks/deliveries/delivery-store.ts';
import { presentDeliveryDetails } from '../../../../notify/webhooks/deliveries/present-delivery.ts';
import { eventIdOf } from '../../../../notify/webhooks/event-store.ts';
import type { DescribeJobs } from '../../../../notify/webhooks/webhook-body.ts';
import type { Catalogue } from '../../../../upstream/catalog/catalogue.ts';
import type { Model } from '../../../../upstream/catalog/models.ts';
import { apiPrefix } from '../../api-call.ts';
import { rootModel } from '../../named-model.ts';
import type { attemptSchema } from '../../nouns/jobs/attempt-schema.ts';
import type { jobSchema } from '../../nouns/jobs/job-schemas.ts';
import { findIdempotencyKeyOf, findMaker } from './job-page-store.ts';

export interface JobPageDeps extends PresentDeps {
  clock: Clock;
  ids: OpaqueIds;
  links: LinkSigner;
  waits: WaitEstimator;
  catalogue: Catalogue;
  readJob: ReadJob;
  describeJobs: DescribeJobs;
  currency: string;
}

type JobJson = Static<typeof jobSchema>;

const maxDeliveries = 20;
const lineageLimits = { ancestors: 20, descendants: 50, depth: 6 };

export async function readJobPage(
  deps: JobPageDeps,
  { accountId, jobId, forOperator }: { accountId: string; jobId: string; forOperator: boolean },
) {
  const { database, clock } = deps;
  const job = await getJob(deps, { accountId, jobId });
  const entries = await listEntriesOfJob(database.read, job.id);
  const deliveries = await listDeliveries(database.read, {
    accountId,
    eventId: eventIdOf(job.id),
    limit: maxDeliveries,
  });
  const shown: JobJson = await presentWholeJob(deps, job);
  return {
    job: shown,
    requested_ratio: job.requestedRatio,
    /** The key that created the job; null if it was created in the panel. */
    key: await keyOf(deps, job),
    batch_id: (await findBatchOf(database.read, job.id))?.id ?? null,
    /** When the image's links expire; null without an image. */
    image_expires_at: job.image ? toIso(expiryOf(clock.nowMs())) : null,
    callback_url: job.callbackUrl,
    idempotency_key: await findIdempotencyKeyOf(database.read, job.id),
    attempts: job.attempt,
    inputs: job.inputs.map(({ width, height, bytes }) => ({ width, height, bytes })),
    timeline: timelineOf(job),
    /** The route of the last attempt and the upstream costs, for operators; null for members. */
    upstream: forOperator ? await upstreamOf(deps, job) : null,
    /** Attempts without an image. `route` and `detail` are for operators, and null for members. */
    failures: job.failures.map(({ attempt, at, route, kind, message, detail }) => ({
      attempt,
      at: toIso(at),
      route: forOperator ? route : null,
      kind,
      message,
      detail: forOperator ? (detail ?? null) : null,
    })),
    /** The request that would create this job, without `input_images_urls` because input URLs are not stored. */
    request: requestOf(job, deps.catalogue.find(job.model)),
    entries: entries.map((entry) => presentEntry(deps.ids, entry, null)),
    deliveries: await presentDeliveryDetails(deps, deliveries),
    lineage: await lineageOf(deps, job),
  };
}

/** Lists the nearest ancestors first, and each descendant after its origin. */
async function lineageOf(deps: JobPageDeps, job: Job) {
  const { ancestors, descendants } = await readLineage(deps.database.read, job, lineageLimits);
  const rows: JobJson[] = await presentJobs(deps, [...ancestors, ...descendants]);
  return { ancestors: rows.slice(0, ancestors.length), descendants: rows.slice(ancestors.length) };
}

async function upstreamOf({ database, currency }: JobPageDeps, { id }: Job) {
  const { route, costMicros } = await findMaker(database.read, id);
  const attempts: Static<typeof attemptSchema>[] = (await listCosts(database.read, id)).map((cost) =>
    presentCost(cost, currency),
  );
  return { route, cost: costMicros === null ? null : formatMicros(costMicros), attempts };
}

async function keyOf({ database }: JobPageDeps, job: Job) {
  if (isPanelKey(job)) return null;
  const key = await findKey(database.read, job.keyId);
  return key ? { key_id: key.id, name: key.name, hint: key.hint } : null;
}

interface Moment {
  at: number;
  what: 'created' | 'started' | 'attempt_failed' | 'done' | 'failed';
  text: string;
}

function timelineOf(job: Job) {
  const moments: Moment[] = [
    { at: job.createdAt, what: 'created', text: 'Accepted; the price is reserved.' },
  ];
  if (job.startedAt !== null)
    moments.push({ at: job.startedAt, what: 'started', text: 'The first attempt began.' });
  for (const { at, attempt, message } of job.failures) {
    moments.push({ at, what: 'attempt_failed', text: `Attempt ${attempt}: ${message}` });
  }
  if (job.finishedAt !== null && job.status === 'done')
    moments.push({ at: job.finishedAt, what: 'done', text: 'The image is stored; the price is captured.' });
  if (job.finishedAt !== null && job.status === 'failed') {
    moments.push({ at: job.finishedAt, what: 'failed', text: `${job.error ?? ''} The price is released.` });
  }
  return moments
    .sort((one, other) => one.at - other.at)
    .map(({ at, ...rest }) => ({ at: toIso(at), ...rest }));
}

function requestOf(job: Job, model: Model | undefined) {
  const prefix = job.model === rootModel ? '' : `/${job.model}`;
  return {
    method: 'POST' as const,
    path: `${apiPrefix}${prefix}/${job.mode}-generations`,
    body: {
      prompt: job.prompt,
      aspect_ratio: job.requestedRatio,
      ...(model?.selectable !== false && { resolution: job.resolution }),
      ...(Object.keys(job.parameters).length > 0 && { parameters: job.parameters }),
      ...(job.metadata && { metadata: job.metadata }),
      ...(job.callbackUrl !== null && { callback_url: job.callbackUrl }),
    },
  };
}
