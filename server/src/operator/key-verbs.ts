import { accountOf } from '../accounts/account-of.ts';
import { createKey } from '../accounts/create-key.ts';
import { disableKey } from '../accounts/disable-key.ts';
import { type ApiKey, listKeyPage } from '../accounts/key-store.ts';
import { changeNetworks } from '../accounts/keys/change-networks.ts';
import { rollKey } from '../accounts/roll-key.ts';
import type { Actor } from '../audit/audit-store.ts';
import { assertKnownModel, readCatalogue } from '../catalog/catalogue.ts';
import type { ModelId } from '../catalog/models.ts';
import type { Database } from '../db/database.ts';
import { readCursor, toPage, writeCursor } from '../http/cursor.ts';
import { type LimitsJson, readLimitChanges } from '../limits/read-limit-changes.ts';
import type { Clock } from '../std/clock.ts';
import { toIso, toIsoOrNull } from '../std/iso-time.ts';
import { keyOf } from './subjects.ts';

export interface NewKeyJson {
  name?: string;
  /** Every model when left out. */
  models?: ModelId[] | null;
  /** Seconds; never when left out. */
  expires_in?: number;
  limits?: LimitsJson;
  /** Addresses and CIDR blocks from which alone it may be used. */
  networks?: string[] | null;
}

export interface KeyListQuery {
  account?: string;
  cursor?: string;
  limit?: number;
}

const mostListed = 100;

/** API keys. */
export function keyVerbs(deps: { database: Database; clock: Clock }, by: Actor) {
  const { database } = deps;
  return {
    async createKey(account: string, { expires_in, limits = {}, ...request }: NewKeyJson = {}) {
      const catalogue = await readCatalogue(database.read);
      for (const model of request.models ?? []) assertKnownModel(catalogue, model, '/models');
      const made = await createKey(
        deps,
        {
          ...request,
          account,
          limits: readLimitChanges(limits, '/limits'),
          ...(expires_in !== undefined && { expiresInMs: expires_in * 1000 }),
        },
        by,
      );
      return { key: made.key, key_id: made.keyId, account_id: made.accountId, models: made.models };
    },
    /** The newest first; of all accounts unless one is named. */
    async listKeys({ account, cursor, limit = mostListed }: KeyListQuery = {}) {
      const accountId = account === undefined ? undefined : (await accountOf(database.read, account)).id;
      const [before] = readCursor(cursor, ['id']) ?? [];
      const keys = await listKeyPage(database.read, { accountId, before, limit: limit + 1 });
      return toPage(keys.map(presentKey), limit, (last) => writeCursor([last.key_id]));
    },
    /** Null: it may be used from everywhere. */
    async changeKey(keyId: string, { networks }: { networks: string[] | null }) {
      const { id, accountId } = await keyOf(database.read, keyId);
      await database.transaction((tx) => changeNetworks(tx, { accountId, keyId: id, networks }, by));
      return presentKey(await keyOf(database.read, id));
    },
    async disableKey(keyId: string) {
      await disableKey(deps, { keyId }, by);
      return presentKey(await keyOf(database.read, keyId));
    },
    /** A new key in the place of an old one, which works for `overlap` seconds more. */
    async rollKey(keyId: string, { overlap = 0 }: { overlap?: number } = {}) {
      const { id, accountId } = await keyOf(database.read, keyId);
      const made = await rollKey(deps, { accountId, keyId: id, overlapMs: overlap * 1000 }, by);
      return { key: made.key, key_id: made.keyId, account_id: made.accountId, models: made.models };
    },
  };
}

function presentKey(key: ApiKey) {
  return {
    key_id: key.id,
    account_id: key.accountId,
    name: key.name,
    models: key.models,
    networks: key.networks && [...key.networks],
    /** Enough of the key to recognise it by. */
    hint: key.hint,
    created_at: toIso(key.createdAt),
    expires_at: toIsoOrNull(key.expiresAt),
    last_used_at: toIsoOrNull(key.lastUsedAt),
    disabled_at: toIsoOrNull(key.disabledAt),
  };
}
