import type { AdminKey } from '../accounts/admin-keys/admin-key-store.ts';
import { hideTarget } from '../webhooks/buckets/bucket-target.ts';

/** Keys that only read see addresses of accounts without the secrets in them, and not what receivers answered, who may repeat them. */
export function seesSecrets({ scopes }: AdminKey): boolean {
  return scopes.includes('accounts');
}

export function hideUrl<One extends { url: string | null }>(one: One): One & { url: string | null } {
  return { ...one, url: one.url === null ? null : hideTarget(one.url) };
}
