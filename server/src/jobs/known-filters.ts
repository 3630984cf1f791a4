import { findAccount } from '../accounts/account-store.ts';
import { findKey } from '../accounts/key-store.ts';
import type { Queries } from '../base/db/schema.ts';
import { isUuid } from '../base/std/ids.ts';
import { type AppError, wrongParameter } from '../errors.ts';
import { listDeliveries } from '../notify/webhooks/deliveries/delivery-store.ts';
import { findEndpoints } from '../notify/webhooks/endpoints/endpoint-store.ts';
import { eventIdOf, hasEvent } from '../notify/webhooks/event-store.ts';
import type { Catalogue } from '../upstream/catalog/catalogue.ts';
import { findBatch } from './batches/batch-store.ts';
import { type JobFilter, listFew } from './job-list-store.ts';
import { countTags, findOwn } from './tags/tag-store.ts';

const maxNamed = 20;

/** Refuses filter values that no job can have. @throws AppError `invalid_request`, listing the account's own values */
export async function assertKnownFilters(
  read: Queries,
  catalogue: Pick<Catalogue, 'list' | 'knows'>,
  filter: JobFilter,
): Promise<void> {
  const { accountId, model, keyId, batchId, tag, aspectRatio, resolution } = filter;
  const models = catalogue.list();
  if (model !== undefined && !catalogue.knows(model))
    throw unknown('model', named(models.map(({ id }) => id)));
  if (keyId !== undefined && !(await hasKey(read, accountId, keyId)))
    throw unknown('key_id', 'no key has this id; panel stands for jobs that were made in the panel.');
  const jobsHave = async (those: JobFilter) =>
    (await listFew(read, { ...(accountId !== undefined && { accountId }), ...those }, 0)) === null;
  const ratios = new Set(['auto', ...models.flatMap((one) => one.ratios)]);
  if (aspectRatio !== undefined && !ratios.has(aspectRatio) && !(await jobsHave({ aspectRatio })))
    throw unknown('aspect_ratio', named([...ratios]));
  const sizes = new Set<string>(models.flatMap((one) => [...one.resolutions.keys()]));
  if (resolution !== undefined && !sizes.has(resolution) && !(await jobsHave({ resolution })))
    throw unknown('resolution', named([...sizes]));
  if (accountId === undefined) return;
  if (batchId !== undefined && !(await findBatch(read, { accountId, id: batchId })))
    throw unknown('batch_id', 'the account has no such batch.');
  if (tag !== undefined && !(await jobsHave({ tag })))
    throw unknown('tag', await tagsInWords(read, accountId));
}

/** Jobs created in the panel have the account's id as key id. */
async function hasKey(read: Queries, accountId: string | undefined, keyId: string): Promise<boolean> {
  if (accountId !== undefined)
    return keyId === accountId || (await findKey(read, keyId))?.accountId === accountId;
  return ((await findKey(read, keyId)) ?? (await findAccount(read, keyId))) !== undefined;
}

async function tagsInWords(read: Queries, accountId: string): Promise<string> {
  const tags = (await countTags(read, accountId, maxNamed + 1)).map(({ tag }) => tag);
  return tags.length === 0 ? 'no job has a tag.' : named(tags);
}

export interface DeliveryFilter {
  eventId?: string | undefined;
  jobId?: string | undefined;
  endpointId?: string | undefined;
}

/** Refuses filter values that no delivery of the account can have. Removed jobs and endpoints with deliveries pass. */
export async function assertKnownDeliveries(
  read: Queries,
  accountId: string,
  { eventId, jobId, endpointId }: DeliveryFilter,
): Promise<void> {
  if (eventId !== undefined && !(await hasEvent(read, accountId, eventId)))
    throw unknown('event_id', 'the account has no such event.');
  const hasJob = async (id: string) =>
    isUuid(id) &&
    ((await findOwn(read, accountId, [id])).length > 0 || hasEvent(read, accountId, eventIdOf(id)));
  if (jobId !== undefined && !(await hasJob(jobId))) throw unknown('job_id', 'the account has no such job.');
  if (endpointId === undefined) return;
  const endpoints = (await findEndpoints(read, [accountId])).map(({ id }) => id);
  if (endpoints.includes(endpointId)) return;
  if ((await listDeliveries(read, { accountId, endpointId, limit: 1 })).length > 0) return;
  throw unknown('endpoint_id', endpoints.length === 0 ? 'the account has none.' : named(endpoints));
}

function named(values: readonly string[]): string {
  const shown = values.slice(0, maxNamed).join(', ');
  return `there ${values.length === 1 ? 'is' : 'are'} ${shown}${values.length > maxNamed ? ' and more' : ''}.`;
}

function unknown(parameter: string, known: string): AppError {
  return wrongParameter(parameter, `is unknown: ${known}`);
}
