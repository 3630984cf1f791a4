import type { ApiKey } from '../accounts/key-store.ts';

/** How the contract names what was made in the panel. */
export const panelKeyName = 'panel';

/**
 * Jobs of the playground carry the id of their account where others carry the id of a key. No key has such an id, so
 * nobody can present it, and lists and bills can tell these jobs apart.
 */
export function panelKey(accountId: string): ApiKey {
  return {
    id: accountId,
    accountId,
    name: 'Panel',
    hint: panelKeyName,
    models: null,
    createdAt: 0,
    expiresAt: null,
    disabledAt: null,
    lastUsedAt: null,
  };
}

export function isPanelKey(job: { keyId: string; accountId: string }): boolean {
  return job.keyId === job.accountId;
}
