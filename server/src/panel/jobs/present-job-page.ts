import { findKey } from '../../accounts/key-store.ts';
import { isPanelKey } from '../../accounts/panel-key.ts';
import { apiPrefix } from '../../api/api-call.ts';
import { rootModel } from '../../api/named-model.ts';
import type { Model } from '../../catalog/models.ts';
import { expiryOf } from '../../images/image-links.ts';
import { findBatchOf } from '../../jobs/batches/batch-store.ts';
import { getJob } from '../../jobs/get-job.ts';
import type { Job } from '../../jobs/job.ts';
import { readLineage } from '../../jobs/lineage-store.ts';
import { presentLiveJob } from '../../jobs/present-job.ts';
import { listEntriesOfJob } from '../../ledger/entry-page-store.ts';
import { formatMicros } from '../../ledger/money.ts';
import { presentEntry } from '../../ledger/present-entry.ts';
import { toIso } from '../../std/iso-time.ts';
import { listDeliveries } from '../../webhooks/deliveries/delivery-store.ts';
import { presentDeliveryDetails } from '../../webhooks/deliveries/present-delivery.ts';
import { eventIdOf } from '../../webhooks/event-store.ts';
import type { PanelDeps } from '../panel-deps.ts';
import type { JobDetail } from './contract.ts';
import { findIdempotencyKeyOf, findMaker } from './job-page-store.ts';
import { presentJobRows } from './present-job-row.ts';

const maxDeliveries = 20;
/** What fits on a page and is still looked at. */
const lineageLimits = { ancestors: 20, descendants: 50, depth: 6 };

/** Everything known about a job. @throws AppError `not_found` */
export async function describeJob(
  deps: PanelDeps,
  { accountId, jobId, forOperator }: { accountId: string; jobId: string; forOperator: boolean },
): Promise<JobDetail> {
  const { database, clock } = deps;
  const job = await getJob(deps, { accountId, jobId });
  const [row] = await presentJobRows(deps, [job]);
  if (!row) throw new Error('a job without a row');
  const entries = await listEntriesOfJob(database.read, job.id);
  const deliveries = await listDeliveries(database.read, {
    accountId,
    eventId: eventIdOf(job.id),
    limit: maxDeliveries,
  });
  const response = await presentLiveJob(job, deps);
  return {
    ...row,
    requested_ratio: job.requestedRatio,
    key: await keyOf(deps, job),
    batch_id: (await findBatchOf(database.read, job.id))?.id ?? null,
    bytes: job.image?.bytes ?? null,
    image_expires_at: job.image ? toIso(expiryOf(clock.nowMs())) : null,
    notes: job.notes,
    callback_url: job.callbackUrl,
    idempotency_key: await findIdempotencyKeyOf(database.read, job.id),
    attempts: job.attempt,
    queue: response.queue ?? null,
    cancellable: job.finishedAt === null,
    inputs: job.inputs.map(({ width, height, bytes, mediaType }, index) => ({
      index,
      url: `/panel/accounts/${accountId}/jobs/${job.id}/inputs/${index}`,
      width,
      height,
      bytes,
      media_type: mediaType,
    })),
    timeline: timelineOf(job),
    upstream: forOperator ? await upstreamOf(deps, job) : null,
    failures: job.failures.map(({ attempt, at, route, kind, message, detail }) => ({
      attempt,
      at: toIso(at),
      route: forOperator ? route : null,
      kind,
      message,
      detail: forOperator ? (detail ?? null) : null,
    })),
    request: requestOf(job, deps.catalogue.find(job.model)),
    response,
    entries: entries.map((entry) => presentEntry(deps.ids, entry, null)),
    deliveries: await presentDeliveryDetails(deps, deliveries),
    lineage: await lineageOf(deps, job),
  };
}

async function lineageOf(deps: PanelDeps, job: Job): Promise<JobDetail['lineage']> {
  const { ancestors, descendants } = await readLineage(deps.database.read, job, lineageLimits);
  const rows = await presentJobRows(deps, [...ancestors, ...descendants]);
  return { ancestors: rows.slice(0, ancestors.length), descendants: rows.slice(ancestors.length) };
}

async function upstreamOf({ database }: PanelDeps, { id }: Job): Promise<JobDetail['upstream']> {
  const { route, costMicros } = await findMaker(database.read, id);
  return { route, cost: costMicros === null ? null : formatMicros(costMicros) };
}

async function keyOf({ database }: PanelDeps, job: Job): Promise<JobDetail['key']> {
  if (isPanelKey(job)) return null;
  const key = await findKey(database.read, job.keyId);
  return key ? { key_id: key.id, name: key.name, hint: key.hint } : null;
}

function timelineOf(job: Job): JobDetail['timeline'] {
  const moments: { at: number; what: JobDetail['timeline'][number]['what']; text: string }[] = [
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

function requestOf(job: Job, model: Model | undefined): JobDetail['request'] {
  const prefix = job.model === rootModel ? '' : `/${job.model}`;
  return {
    method: 'POST',
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
