import { accountOf, livingAccountOf } from '../../../accounts/account-of.ts';
import type { Database } from '../../../base/db/database.ts';
import type { Tx } from '../../../base/db/schema.ts';
import type { Sealer } from '../../../base/std/sealer.ts';
import { AppError } from '../../../errors.ts';
import { isBucket } from '../buckets/bucket-target.ts';
import { ensureSecrets, listSecrets, type SigningSecret } from '../secrets/secret-store.ts';
import { type Endpoint, findEndpoint, findEndpoints, secretOwnerOf } from './endpoint-store.ts';

export interface Webhook {
  accountId: string;
  /** Null if the account has no default endpoint. */
  endpoint: Endpoint | null;
  /** The current secret first, then those being rotated out. Empty for a bucket, whose key is never shown. */
  secrets: SigningSecret[];
}

export type EndpointWebhook = Webhook & { endpoint: Endpoint };

/** Names an endpoint; without an id, the account's default one. */
export interface EndpointName {
  account: string;
  endpointId?: string | undefined;
}

export async function showWebhook(
  { database, sealer }: { database: Database; sealer: Sealer },
  { account, endpointId }: EndpointName,
): Promise<Webhook> {
  const { id: accountId } = await livingAccountOf(database.read, account);
  return database.transaction((tx) => showWithin(tx, sealer, { accountId, endpointId }));
}

/**
 * Reads a webhook in the transaction that changes it. If it were read later, a removal could come first, and a new
 * secret, which is shown only once, would be lost.
 */
export async function showWithin(
  tx: Tx,
  sealer: Sealer,
  { accountId, endpointId }: { accountId: string; endpointId?: string | undefined },
): Promise<Webhook> {
  const endpoint = (await findEndpoint(tx, accountId, endpointId)) ?? null;
  if (endpointId !== undefined && !endpoint) throw unknownEndpoint();
  if (endpoint && isBucket(endpoint.url)) return { accountId, endpoint, secrets: [] };
  const owner = endpoint ? secretOwnerOf(endpoint) : accountId;
  await ensureSecrets(tx, sealer, [owner]);
  return { accountId, endpoint, secrets: await listSecrets(tx, sealer, [owner]) };
}

export async function showEndpointWithin(
  tx: Tx,
  sealer: Sealer,
  name: { accountId: string; endpointId: string },
): Promise<EndpointWebhook> {
  return asEndpoint(await showWithin(tx, sealer, name));
}

export async function showEndpoint(
  deps: { database: Database; sealer: Sealer },
  name: EndpointName,
): Promise<EndpointWebhook> {
  return asEndpoint(await showWebhook(deps, name));
}

function asEndpoint({ endpoint, ...webhook }: Webhook): EndpointWebhook {
  if (!endpoint) throw unknownEndpoint();
  return { ...webhook, endpoint };
}

export async function listWebhooks(
  { database, sealer }: { database: Database; sealer: Sealer },
  { account }: { account: string },
): Promise<EndpointWebhook[]> {
  const { id: accountId } = await accountOf(database.read, account);
  const endpoints = await findEndpoints(database.read, [accountId]);
  const signing = endpoints.filter(({ url }) => !isBucket(url));
  const secrets = await listSecrets(database.read, sealer, signing.map(secretOwnerOf));
  return endpoints.map((endpoint) => ({
    accountId,
    endpoint,
    secrets: secrets.filter(({ ownerId }) => ownerId === secretOwnerOf(endpoint)),
  }));
}

export function assertSigns({ endpoint }: Webhook): void {
  if (endpoint && isBucket(endpoint.url))
    throw new AppError(
      'invalid_request',
      'A bucket has no signing secret. Change the endpoint to give it other credentials.',
    );
}

export function unknownEndpoint(): AppError {
  return new AppError('not_found', 'There is no such endpoint.');
}
