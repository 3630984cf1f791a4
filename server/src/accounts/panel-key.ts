import type { Payer } from '../money/limits/limit.ts';
import type { ApiKey } from './key-store.ts';

/** The key name that the API gives for jobs made in the panel. */
export const panelKeyName = 'panel';

/**
 * Jobs that people start in the panel have the id of their account as key id. No key has such an id, so no client can
 * present it, and lists and bills can tell these jobs apart.
 */
export function isPanelKey(job: { keyId: string; accountId: string }): boolean {
  return job.keyId === job.accountId;
}

/** The payer of the panel's jobs. */
export function panelPayer(accountId: string): Payer {
  return { accountId, keyId: accountId, clientTokenId: null };
}

/** The key of a call that a person makes, who has none. */
export function panelKey(accountId: string): ApiKey {
  return {
    ...{ id: accountId, accountId, name: panelKeyName, hint: '', createdAt: 0 },
    ...{ models: null, networks: null, expiresAt: null, disabledAt: null },
    ...{ lastUsedAt: null, lastUsedAddress: null },
  };
}
