import type { Payer } from '../money/limits/limit.ts';
import type { ApiKey } from './key-store.ts';

/** The key name that the API shows for jobs created in the panel. */
export const panelKeyName = 'panel';

/**
 * Jobs that people create in the panel have their account's id as key id. No key has such an id, so no client
 * can present it, and lists and bills can tell these jobs apart.
 */
export function isPanelKey(job: { keyId: string; accountId: string }): boolean {
  return job.keyId === job.accountId;
}

/** The payer of the panel's jobs. */
export function panelPayer(accountId: string): Payer {
  return { accountId, keyId: accountId, clientTokenId: null };
}

/** Returns a key for a person's call, which has none. */
export function panelKey(accountId: string): ApiKey {
  return {
    ...{ id: accountId, accountId, name: panelKeyName, hint: '', createdAt: 0 },
    ...{ models: null, networks: null, expiresAt: null, disabledAt: null },
    ...{ lastUsedAt: null, lastUsedAddress: null },
  };
}
