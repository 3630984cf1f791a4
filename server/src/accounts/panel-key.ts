import type { Payer } from '../limits/limit.ts';

/** The key name that the API gives for jobs made in the panel. */
export const panelKeyName = 'panel';

/**
 * Jobs of the playground have the id of their account as key id. No key has such an id, so no client can
 * present it, and lists and bills can tell these jobs apart.
 */
export function isPanelKey(job: { keyId: string; accountId: string }): boolean {
  return job.keyId === job.accountId;
}

/** Who pays for what is done in the panel. */
export function panelPayer(accountId: string): Payer {
  return { accountId, keyId: accountId, clientTokenId: null };
}
