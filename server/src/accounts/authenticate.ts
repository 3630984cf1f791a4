import type { Database } from '../base/db/database.ts';
import { writeAtOnce } from '../base/db/decide-and-write.ts';
import { createMeter, type Meter } from '../base/metrics/meter.ts';
import { batcher } from '../base/std/batcher.ts';
import type { Clock } from '../base/std/clock.ts';
import { AppError } from '../errors.ts';
import type { ModelId } from '../upstream/catalog/models.ts';
import { hashApiKey, isClientToken, isWellFormedKey } from './api-key.ts';
import {
  type ApiKey,
  type ClientToken,
  findKeysByHash,
  findKeysByToken,
  type KeyUse,
  touchKeys,
} from './key-store.ts';

// How long a process may answer from its cache, and so still accept a key that was disabled.
const cacheMs = 1_000;
const maxCached = 10_000;
const touchEveryMs = 60_000;
const maxBatch = 100;

const hit = ['keys', 'hit'] as const;
const miss = ['keys', 'miss'] as const;

export interface Authenticator {
  /**
   * Finds a key. Returns it without a promise if it is in the cache.
   * @param from the headers of a request that client tokens may make; without `from`, tokens are refused
   * @param address the client's IP address, recorded with the key's use at most once a minute
   * @throws AppError `key_invalid`, with the same words for every cause; `token_forbidden`; `origin_refused`
   */
  authenticate(key: string, from?: OriginHeaders, address?: string): ApiKey | Promise<ApiKey>;
}

export interface OriginHeaders {
  origin?: string | undefined;
  host?: string | undefined;
  'sec-fetch-site'?: string | string[] | undefined;
}

export function createAuthenticator({
  database,
  clock,
  meter = createMeter(),
}: {
  database: Database;
  clock: Clock;
  meter?: Meter;
}): Authenticator {
  const lookUps = meter.counter('darkroom_cache_requests_total', 'Cache lookups of API keys, by result.', [
    'cache',
    'result',
  ]);
  // The cache is indexed by the key itself, so that a hit needs no hash. Memory contains the key anyway.
  const cache = new Map<string, { key: ApiKey | undefined; readAt: number }>();
  const touchedAt = new Map<string, number>();
  const find = batcher((hashes: string[]) => findKeysByHash(database.read, hashes), { maxBatch });
  const findByToken = batcher((hashes: string[]) => findKeysByToken(database.read, hashes), { maxBatch });
  const touch = batcher(
    async (used: KeyUse[]) => {
      await writeAtOnce(database, (tx) => touchKeys(tx, used));
      return used;
    },
    { maxBatch },
  );

  async function lookUp(text: string, from: OriginHeaders | undefined, address?: string): Promise<ApiKey> {
    const readAt = clock.nowMs();
    const key = await (isClientToken(text) ? findByToken : find)(hashApiKey(text));
    if (cache.size >= maxCached) cache.clear();
    cache.set(text, { key, readAt });
    return judge(key, from, address);
  }

  function judge(key: ApiKey | undefined, from: OriginHeaders | undefined, address?: string): ApiKey {
    const now = clock.nowMs();
    if (!key || key.disabledAt !== null || (key.expiresAt !== null && key.expiresAt <= now))
      throw keyNotValid();
    if (key.clientToken) assertTokenMay(key.clientToken, from);
    noteUse(key, now, address ?? null);
    return key;
  }

  function noteUse(key: ApiKey, now: number, address: string | null): void {
    const last = touchedAt.get(key.id) ?? key.lastUsedAt ?? 0;
    if (now - last < touchEveryMs) return;
    if (touchedAt.size >= maxCached) touchedAt.clear();
    touchedAt.set(key.id, now);
    touch({ id: key.id, at: now, address }).catch(() => {}); // the request does not depend on it
  }

  return {
    authenticate(text, from, address) {
      const cached = cache.get(text);
      if (cached && Math.abs(clock.nowMs() - cached.readAt) < cacheMs) {
        lookUps.add(hit);
        return judge(cached.key, from, address);
      }
      if (!isWellFormedKey(text)) throw keyNotValid();
      lookUps.add(miss);
      return lookUp(text, from, address);
    },
  };
}

export function keyNotValid(): AppError {
  return new AppError(
    'key_invalid',
    'This API key is unknown, disabled or expired. Create a new one and use it instead.',
  );
}

function assertTokenMay({ origin }: ClientToken, from: OriginHeaders | undefined): void {
  if (!from) {
    throw new AppError(
      'token_forbidden',
      'A client token can create jobs, read the jobs that it created, and upload images. This call needs an API key.',
    );
  }
  if (origin === null || from.origin === origin) return;
  // Browsers omit the origin when a page reads from its own origin.
  if (from['sec-fetch-site'] === 'same-origin' && from.host === new URL(origin).host) return;
  throw new AppError('origin_refused', `This client token is for pages of ${origin} only.`);
}

export function assertMayUse(key: ApiKey, model: ModelId): void {
  if (key.models === null || key.models.includes(model)) return;
  throw new AppError(
    'model_forbidden',
    `This API key may use ${key.models.join(', ')} but not ${model}. Use a key that is allowed to use ${model}.`,
  );
}
