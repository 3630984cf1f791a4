import type { ModelId } from '../catalog/models.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { batcher } from '../std/batcher.ts';
import type { Clock } from '../std/clock.ts';
import { hashApiKey, isWellFormedKey } from './api-key.ts';
import { type ApiKey, findKeysByHash, touchKeys } from './key-store.ts';

// For this long a process that has just used a key accepts it after it was disabled.
const cacheMs = 1_000;
const maxCached = 10_000;
const touchEveryMs = 60_000;
const maxBatch = 100;

export interface Authenticator {
  /**
   * Finds the key. Returns it directly, without a promise, when it is in the cache.
   *
   * @throws AppError `key_invalid` for a malformed, unknown, disabled or expired key, always with the same
   *   words
   */
  authenticate(key: string): ApiKey | Promise<ApiKey>;
}

export function createAuthenticator({
  database,
  clock,
}: {
  database: Database;
  clock: Clock;
}): Authenticator {
  // Keyed by the key itself, so that a hit needs no hash; an entry is kept for a second, and the key is in
  // memory anyway.
  const cache = new Map<string, { key: ApiKey | undefined; readAt: number }>();
  const touchedAt = new Map<string, number>();
  const find = batcher((hashes: string[]) => findKeysByHash(database.read, hashes), { maxBatch });
  const touch = batcher(
    async (used: { id: string; at: number }[]) => {
      await database.transaction((tx) => touchKeys(tx, used));
      return used;
    },
    { maxBatch },
  );

  async function lookUp(text: string): Promise<ApiKey> {
    const readAt = clock.nowMs();
    const key = await find(hashApiKey(text));
    if (cache.size >= maxCached) cache.clear();
    cache.set(text, { key, readAt });
    return judge(key);
  }

  function judge(key: ApiKey | undefined): ApiKey {
    const now = clock.nowMs();
    if (!key || key.disabledAt !== null || (key.expiresAt !== null && key.expiresAt <= now)) throw notValid();
    noteUse(key, now);
    return key;
  }

  function noteUse(key: ApiKey, now: number): void {
    const last = touchedAt.get(key.id) ?? key.lastUsedAt ?? 0;
    if (now - last < touchEveryMs) return;
    if (touchedAt.size >= maxCached) touchedAt.clear();
    touchedAt.set(key.id, now);
    touch({ id: key.id, at: now }).catch(() => {}); // for the panel; the request does not depend on it
  }

  return {
    authenticate(text) {
      const cached = cache.get(text);
      if (cached && Math.abs(clock.nowMs() - cached.readAt) < cacheMs) return judge(cached.key);
      if (!isWellFormedKey(text)) throw notValid();
      return lookUp(text);
    },
  };
}

function notValid(): AppError {
  return new AppError(
    'key_invalid',
    'This API key is unknown, disabled or expired. Create a new one and use it instead.',
  );
}

/** @throws AppError `model_forbidden` */
export function assertMayUse(key: ApiKey, model: ModelId): void {
  if (key.models === null || key.models.includes(model)) return;
  throw new AppError(
    'model_forbidden',
    `This API key may use ${key.models.join(', ')} but not ${model}. Use a key that is allowed to use ${model}.`,
  );
}
