import type { Database } from '../../base/db/database.ts';
import type { Clock } from '../../base/std/clock.ts';
import { newId } from '../../base/std/ids.ts';
import { AppError } from '../../errors.ts';
import { beginLimits } from '../../money/limits/begin-limits.ts';
import type { ModelId } from '../../upstream/catalog/models.ts';
import { hashApiKey, makeClientToken } from '../api-key.ts';
import { assertMayUse } from '../authenticate.ts';
import type { ApiKey } from '../key-store.ts';
import { countTokens, type IssuedToken, insertClientToken } from './client-token-store.ts';

export interface TokenRequest {
  expiresInMs: number;
  /** The models that the token may use; null for those of its key. */
  models: ModelId[] | null;
  /** The most that the token's jobs may cost together, not counting failed jobs; null if only the balance limits it. */
  spendCapMicros: bigint | null;
  origin: string | null;
}

export interface NewToken extends IssuedToken {
  token: string;
}

// A token serves one visitor for at most an hour, so a program that creates more tokens is out of control.
const maxOfKey = 10_000;
const retrySeconds = 60;

/** @throws AppError `model_forbidden` for a model that the key may not use; `too_many_requests` */
export async function createClientToken(
  { database, clock }: { database: Database; clock: Clock },
  key: ApiKey,
  { expiresInMs, models, spendCapMicros, origin }: TokenRequest,
): Promise<NewToken> {
  for (const model of models ?? []) assertMayUse(key, model);
  const token = makeClientToken();
  const now = clock.nowMs();
  const made = {
    ...{ id: newId(now), keyId: key.id, origin, spendCapMicros, createdAt: now },
    models: models ?? key.models,
    expiresAt: Math.min(now + expiresInMs, key.expiresAt ?? Number.POSITIVE_INFINITY),
  };
  await database.transaction(async (tx) => {
    if ((await countTokens(tx, key.id)) >= maxOfKey) {
      const detail = `This key has ${maxOfKey} client tokens already. Wait until some have expired.`;
      throw new AppError('too_many_requests', detail, { retryAfterSeconds: retrySeconds });
    }
    await insertClientToken(tx, { ...made, hash: hashApiKey(token) });
    await beginLimits(tx, { kind: 'client_token', id: made.id }, { total: spendCapMicros });
  });
  return { ...made, token };
}
