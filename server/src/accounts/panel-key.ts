/** How the contract names what was made in the panel. */
export const panelKeyName = 'panel';

/**
 * Jobs of the playground carry the id of their account where others carry the id of a key. No key has such an id, so
 * nobody can present it, and lists and bills can tell these jobs apart.
 */
export function isPanelKey(job: { keyId: string; accountId: string }): boolean {
  return job.keyId === job.accountId;
}
