import type { Payer } from '../money/limits/limit.ts';
import type { ApiKey } from './key-store.ts';

/** The key name that the API shows for jobs created in the panel. */
export const panelKeyName = 'panel';

/** Whether a person created the job in the panel. The job's key id is then the account's id, which no key has. */
export function isPanelKey(job: { keyId: string; accountId: string }): boolean {
  return job.keyId === job.accountId;
}

export function panelPayer(accountId: string): Payer {
  return { accountId, keyId: accountId, clientTokenId: null };
}

/** Stands for a key in a person's call, which has no real key. */
export function panelKey(accountId: string): ApiKey {
  return {
    ...{ id: accountId, accountId, name: panelKeyName, hint: '', createdAt: 0 },
    ...{ models: null, networks: null, expiresAt: null, disabledAt: null },
    ...{ lastUsedAt: null, lastUsedAddress: null },
  };
}
