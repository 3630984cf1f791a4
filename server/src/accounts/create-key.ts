import { type Actor, insertAuditEntry } from '../base/audit/audit-store.ts';
import type { Database } from '../base/db/database.ts';
import type { Tx } from '../base/db/schema.ts';
import type { Clock } from '../base/std/clock.ts';
import { newId } from '../base/std/ids.ts';
import { toIsoOrNull } from '../base/std/iso-time.ts';
import { AppError, invalidField } from '../errors.ts';
import { beginLimits } from '../money/limits/begin-limits.ts';
import { inWords, type LimitChanges } from '../money/limits/limit.ts';
import type { ModelId } from '../upstream/catalog/models.ts';
import { lockLivingAccountOf } from './account-of.ts';
import { hashApiKey, hintOf, makeApiKey } from './api-key.ts';
import { insertKey } from './key-store.ts';
import { assertNetworks } from './keys/key-networks.ts';
import { maxNameLength } from './name.ts';

/** Equal to the maximum number of models of an installation. */
export const maxKeyModels = 200;

export interface KeyRequest {
  keyId?: string;
  /** Id or name. */
  account: string;
  name?: string;
  /** Absent, null or empty for every model. */
  models?: ModelId[] | null;
  expiresInMs?: number;
  limits?: LimitChanges;
  /** CIDR blocks or IP addresses that may use the key. Absent, null or empty for all. */
  networks?: readonly string[] | null;
  /** Runs in the transaction, and throws if the key must not be created. */
  assertMay?(tx: Tx): Promise<void>;
}

export interface NewKey {
  /** Shown once; only its hash is stored. */
  key: string;
  keyId: string;
  accountId: string;
  models: ModelId[] | null;
}

/** @throws AppError `not_found`; `invalid_request` if the name is empty or too long */
export async function createKey(
  { database, clock }: { database: Database; clock: Clock },
  {
    keyId = newId(clock.nowMs()),
    account: idOrName,
    name = 'key',
    models,
    expiresInMs,
    limits = {},
    networks,
    assertMay,
  }: KeyRequest,
  by?: Actor,
): Promise<NewKey> {
  if (name.trim() === '' || name.length > maxNameLength) {
    throw new AppError('invalid_request', `A key's name has 1 to ${maxNameLength} characters.`);
  }
  const key = makeApiKey();
  const expiresAt = expiresInMs === undefined ? null : clock.nowMs() + expiresInMs;
  const from = networks && networks.length > 0 ? networks : null;
  assertNetworks(from ?? []);
  const allowed = models && models.length > 0 ? models : null;
  if (allowed && allowed.length > maxKeyModels)
    throw invalidField('/models', `must have at most ${maxKeyModels} entries.`);
  const accountId = await database.transaction(async (tx) => {
    const account = await lockLivingAccountOf(tx, idOrName);
    await assertMay?.(tx);
    await insertKey(tx, {
      id: keyId,
      accountId: account.id,
      name,
      hash: hashApiKey(key),
      hint: hintOf(key),
      models: allowed,
      expiresAt,
      networks: from,
    });
    await beginLimits(tx, { kind: 'key', id: keyId }, limits);
    const scope = {
      models: allowed?.join(', ') ?? null,
      expires_at: toIsoOrNull(expiresAt),
      networks: from?.join(', ') ?? null,
    };
    const detail = { name, ...scope, ...inWords(limits) };
    const entry = { action: 'key.created' as const, accountId: account.id, subject: keyId, detail };
    if (by) await insertAuditEntry(tx, by, entry);
    return account.id;
  });
  return { key, keyId, accountId, models: allowed };
}
