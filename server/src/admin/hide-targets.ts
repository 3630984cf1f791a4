import { hideTarget } from '../webhooks/buckets/bucket-target.ts';
import type { AdminCaller } from './admin-call.ts';

/** Keys that only read see addresses of accounts without the secrets in them, and not what receivers answered, who may repeat them. */
export function seesSecrets({ hasScope }: AdminCaller): boolean {
  return hasScope('accounts');
}

export function hideUrl<One extends { url: string | null }>(one: One): One & { url: string | null } {
  return { ...one, url: one.url === null ? null : hideTarget(one.url) };
}
