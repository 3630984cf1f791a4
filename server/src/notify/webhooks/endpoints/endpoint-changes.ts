import type { Tx } from '../../../base/db/schema.ts';
import type { Sealer } from '../../../base/std/sealer.ts';
import { isBucket } from '../buckets/bucket-target.ts';
import { deleteSecretsOf, ensureSecrets } from '../secrets/secret-store.ts';
import {
  deleteEndpoint,
  type Endpoint,
  findEndpoints,
  insertEndpoint,
  secretOwnerOf,
  setEndpointUrl,
} from './endpoint-store.ts';
import { cancelPendingOf } from './pending-delivery-store.ts';

// Lock the account before calling these functions: jobs that end insert their deliveries under the same lock.

/** The first webhook becomes the default; a bucket cannot, as it gets no events. The caller stores a bucket's key. */
export async function addEndpointTo(
  tx: Tx,
  sealer: Sealer,
  { id, accountId, url, events }: Pick<Endpoint, 'id' | 'accountId' | 'url' | 'events'>,
): Promise<void> {
  const others = await findEndpoints(tx, [accountId]);
  const isDefault = !isBucket(url) && !others.some(({ isDefault }) => isDefault);
  const endpoint = { id, accountId, url, events, isDefault };
  await insertEndpoint(tx, endpoint);
  if (!isBucket(url)) await ensureSecrets(tx, sealer, [endpoint.isDefault ? accountId : id]);
}

/** Returns the number of deliveries that it cancelled. Workers cancel the remaining ones when they claim them. */
export async function moveEndpoint(tx: Tx, { id }: Endpoint, url: string): Promise<number> {
  await setEndpointUrl(tx, id, url);
  return cancelPendingOf(tx, [id], 'endpoint_replaced');
}

/** Returns the number of deliveries that it cancelled. Claims cancel the rest later. */
export async function dropEndpoint(tx: Tx, endpoint: Endpoint): Promise<number> {
  await deleteEndpoint(tx, endpoint.id);
  // The account's own secret stays, because it also signs for `callback_url`s.
  if (!endpoint.isDefault) await deleteSecretsOf(tx, secretOwnerOf(endpoint));
  return cancelPendingOf(tx, [endpoint.id], 'endpoint_removed');
}
