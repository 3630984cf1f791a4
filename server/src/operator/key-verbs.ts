import { findAccount } from '../accounts/account-store.ts';
import { commandLine } from '../accounts/audit-store.ts';
import { createKey, type KeyRequest } from '../accounts/create-key.ts';
import { disableKey } from '../accounts/disable-key.ts';
import { type ApiKey, listKeys } from '../accounts/key-store.ts';
import { assertKnownModel, readCatalogue } from '../catalog/catalogue.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../std/clock.ts';
import { toIso, toIsoOrNull } from '../std/iso-time.ts';

/** API keys, as JSON. */
export function keyVerbs(deps: { database: Database; clock: Clock }) {
  return {
    async createKey(request: KeyRequest) {
      const catalogue = await readCatalogue(deps.database.read);
      for (const model of request.models ?? []) assertKnownModel(catalogue, model, '/models');
      const { key, keyId, accountId, models } = await createKey(deps, request, commandLine);
      return { key, key_id: keyId, account_id: accountId, models };
    },
    async listKeys({ account }: { account?: string }) {
      const found = account === undefined ? undefined : await findAccount(deps.database.read, account);
      if (account !== undefined && !found)
        throw new AppError('not_found', `There is no account "${account}".`);
      return (await listKeys(deps.database.read, found?.id)).map(presentKey);
    },
    async disableKey(keyId: string) {
      await disableKey(deps, { keyId }, commandLine);
    },
  };
}

function presentKey(key: ApiKey) {
  return {
    key_id: key.id,
    account_id: key.accountId,
    name: key.name,
    models: key.models,
    /** Enough of the key to recognise it by. */
    hint: key.hint,
    created_at: toIso(key.createdAt),
    expires_at: toIsoOrNull(key.expiresAt),
    last_used_at: toIsoOrNull(key.lastUsedAt),
    disabled_at: toIsoOrNull(key.disabledAt),
  };
}
